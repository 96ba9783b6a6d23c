export { FormVersionText } from './form-version-text.js';
export { FormVersionTexts1798000000017 } from '../migrations/0017-languages.js';
