import { problemTypes } from '../../http/errors/problem-codes.js';
import { HELD_CONSTRAINT } from './held-constraint.js';

export const RETENTION_PROBLEMS = problemTypes({
  held: {
    ...{ status: 422, title: 'Submission held' },
    constraint: { name: HELD_CONSTRAINT, message: 'The submission is held.' },
  },
});
