import { problemTypes } from '../../http/errors/problem-codes.js';
import { type FieldError, fieldErrorIn, invalidDataProblem, Problem } from '../../http/errors/problems.js';

/** Two codes are field errors, too: of a request that begins a submission (D4, D5). */
export const AVAILABILITY_PROBLEMS = problemTypes({
  already_answered: { status: 422, title: 'Already answered' },
  form_closed: { status: 422, title: 'Form closed' },
  quota_reached: { status: 422, title: 'Form full' },
});

export const AVAILABILITY_FIELD_ERRORS = {
  already_answered: [],
  closed: ['closes_at'],
  not_open_yet: ['opens_at'],
  option_full: ['value'],
  quota_reached: [],
} as const;

const error = fieldErrorIn(AVAILABILITY_FIELD_ERRORS);

const FULL = 'The form is full.';
const ANSWERED = 'You have answered this form already.';

export const formClosedProblem = () => new Problem(AVAILABILITY_PROBLEMS.form_closed, 'The form is closed.');

export const fullProblem = () => new Problem(AVAILABILITY_PROBLEMS.quota_reached, FULL);

export const answeredProblem = () => new Problem(AVAILABILITY_PROBLEMS.already_answered, ANSWERED);

/** Why a submission cannot be begun. The database decides: see the function `formtrail_obstacle`. */
export interface Obstacle {
  readonly reason: 'already_answered' | 'closed' | 'not_open_yet' | 'quota_reached';
  readonly opens_at: string | null;
  readonly closes_at: string | null;
}

export const cannotBeginProblem = (obstacle: Obstacle) =>
  invalidDataProblem({ form_uuid: [beginningError(obstacle)] });

function beginningError({ reason, opens_at, closes_at }: Obstacle): FieldError {
  switch (reason) {
    case 'already_answered':
      return error('already_answered', ANSWERED);
    case 'closed':
      return error('closed', `The form closed at ${closes_at}.`, { closes_at: closes_at ?? '' });
    case 'not_open_yet':
      return error('not_open_yet', `The form opens at ${opens_at}.`, { opens_at: opens_at ?? '' });
    case 'quota_reached':
      return error('quota_reached', FULL);
  }
}

export const optionFullError = (code: string, value: string) =>
  error('option_full', `The ${code} "${value}" has no places left.`, { value });
