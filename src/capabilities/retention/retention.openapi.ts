import type { OpenApiPart } from '../../server/capability.js';
import { RETENTION_PROBLEMS } from './problems.js';

/** The operations that change or delete values, records or files, or may store computed values. */
const WRITES = [
  ...['storeValues', 'patchSubmission', 'deleteSubmission', 'createRecord', 'deleteRecord'],
  ...['createFile', 'commitFile', 'deleteFile'],
];

export const OPEN_API: OpenApiPart = {
  problems: [{ operations: WRITES, types: [RETENTION_PROBLEMS.held] }],
};
