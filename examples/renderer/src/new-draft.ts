/** In addresses, the draft that begins with the first answer, or the user's newest one. */
export const NEW = 'new';
