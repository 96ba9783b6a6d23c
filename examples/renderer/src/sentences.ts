import { sentences } from 'formtrail-session/sentences';

// To translate the page, pass a table with the sentences of your language.
export const say = sentences();
