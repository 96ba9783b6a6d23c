import type { FormChange } from 'formtrail-session';
import type { ComponentType } from 'preact';
import type { Words } from '../words.js';
import type { PageProps } from './props.js';

export type ChangedFormProps = FormChange & { readonly words: Words };

/** Components in chunks of the session. Each is there when a snapshot needs it. */
export const LATER: {
  ChangedForm?: ComponentType<ChangedFormProps>;
  Unavailable?: ComponentType<PageProps>;
} = {};
