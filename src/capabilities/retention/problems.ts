import { problemTypes } from '../../http/errors/problem-codes.js';

/** The constraint that triggers name when they reject a change of a held submission (T2). */
export const HELD_CONSTRAINT = 'submissions_held_check';

export const RETENTION_PROBLEMS = problemTypes({
  held: {
    ...{ status: 422, title: 'Submission held' },
    constraint: { name: HELD_CONSTRAINT, message: 'The submission is held.' },
  },
});
