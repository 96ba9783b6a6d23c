export { FileDeletion } from './file-deletion.js';
export { File, FILE_STATES, type FileState } from './file.js';
export { Files1798000000002 } from '../migrations/0002-files.js';
