import type { Capability } from '../../server/capability.js';
import { LANGUAGE_FIELD_ERRORS } from './problems.js';

/** Forms in several languages. */
export const LANGUAGES: Capability = {
  name: 'languages',
  fieldErrors: LANGUAGE_FIELD_ERRORS,
  module: async () => (await import('./languages.module.js')).LanguagesModule,
  openApi: async () => (await import('./languages.openapi.js')).OPEN_API,
};
