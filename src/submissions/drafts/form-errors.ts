import { fieldError, invalidDataProblem } from '../../http/errors/problems.js';

// The 422 responses under `form_uuid`, of requests that begin something with a form.

/** For an unknown or malformed UUID (S2). */
export const unknownFormProblem = () =>
  invalidDataProblem({ form_uuid: [fieldError('unknown_form', 'There is no form with this form_uuid.')] });

export const inactiveFormProblem = () =>
  invalidDataProblem({
    form_uuid: [fieldError('inactive_form', 'The form is not active and accepts no new submissions.')],
  });
