import type { Capability } from '../../server/capability.js';

/** Forms in several languages. */
export const LANGUAGES: Capability = {
  name: 'languages',
  openApi: async () => (await import('./languages.openapi.js')).OPEN_API,
};
