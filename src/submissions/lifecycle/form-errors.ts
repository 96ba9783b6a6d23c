import { fieldError, invalid } from '../../http/errors/problems.js';
import { respondentError } from '../../capabilities/respondents/problems.js';

// The 422 responses under `form_uuid`, of requests that begin something with a form.

/** For an unknown or malformed UUID (S2). */
export const unknownForm = () =>
  invalid({ form_uuid: [fieldError('unknown_form', 'There is no form with this form_uuid.')] });

export const inactiveForm = () =>
  invalid({
    form_uuid: [fieldError('inactive_form', 'The form is not active and accepts no new submissions.')],
  });

/** For respondents (P2, P8). */
export const formNotPublic = () =>
  invalid({
    form_uuid: [
      respondentError(
        'form_not_public',
        'The form is not public. Only users with a token of their own can begin it.',
      ),
    ],
  });

/** For respondents, whose token is bound to one form (P3). */
export const otherForm = () =>
  invalid({
    form_uuid: [
      respondentError('other_form', 'The token is for another form, and can begin only that form.'),
    ],
  });

export const tooManyDrafts = (max: number) =>
  invalid({
    form_uuid: [
      respondentError(
        'too_many_drafts',
        `You already have ${max} open drafts. Complete or delete one of them first.`,
        { max },
      ),
    ],
  });
