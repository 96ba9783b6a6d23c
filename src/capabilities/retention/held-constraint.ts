/** The constraint that triggers name when they reject a change of a held submission (T2). */
export const HELD_CONSTRAINT = 'submissions_held_check';
