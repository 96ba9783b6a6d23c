import { type FieldErrors, fieldError } from '../../http/errors/problems.js';
import { MAX_TEXT, MAX_VALUES } from './stored-size.js';
import type { FieldValue } from './value-entries.js';

export const tooManyValuesError = () =>
  fieldError('too_many_values', `The submission must not hold more than ${MAX_VALUES} values.`, {
    max: MAX_VALUES,
  });

export const tooMuchTextError = () =>
  fieldError(
    'too_much_text',
    `The values of the submission must not have more than ${MAX_TEXT} bytes together.`,
    {
      max: MAX_TEXT,
    },
  );

/** Returns the errors of entries that name records of other submissions (V7). */
export function foreignRecordErrors(
  entries: readonly FieldValue[],
  foreign: readonly { readonly id: number }[],
): FieldErrors {
  const errors: FieldErrors = {};
  for (const [index, { entityRecordId }] of entries.entries()) {
    if (foreign.some(({ id }) => id === entityRecordId)) {
      errors[`values.${index}.entity_record_id`] = [
        fieldError('unknown_record', 'This submission has no entity record with this id.'),
      ];
    }
  }
  return errors;
}
