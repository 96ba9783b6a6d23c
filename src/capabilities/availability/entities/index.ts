export { FormCount } from './form-count.js';
export { HeldOption } from './held-option.js';
export { OptionCount } from './option-count.js';
export { UserCount } from './user-count.js';
export {
  CountedSubmissions1798000000014,
  FormCounts1798000000012,
  OptionCounts1798000000013,
} from '../migrations/0012-availability.js';
