import type { Executor } from '../../database/statement.js';
import type { FieldErrors } from '../../http/errors/problems.js';
import { throwIfInvalid } from '../drafts/drafts.service.js';
import type { Admission, Completion } from '../guards-submissions.js';

/** Throws 422 if there are errors, or if an admission rejects the completion. */
export async function requireAdmitted(
  executor: Executor,
  completion: Completion,
  admissions: readonly Admission[],
  errors: FieldErrors = {},
): Promise<void> {
  for (const admission of admissions) {
    const further = await admission.fieldErrors(executor, completion);
    for (const [key, found] of Object.entries(further)) errors[key] = [...(errors[key] ?? []), ...found];
  }
  throwIfInvalid(errors);
  for (const admission of admissions) {
    const rejection = await admission.rejection(executor, completion);
    if (rejection !== undefined) throw rejection;
  }
}
