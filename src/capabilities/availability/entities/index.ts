export { FormCount } from './form-count.js';
export { HeldOption } from './held-option.js';
export { OptionCount } from './option-count.js';
export { UserCount } from './user-count.js';
export {
  Availability1798000000012,
  CountedSubmissions1798000000013,
} from '../migrations/0012-availability.js';
