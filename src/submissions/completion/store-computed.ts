import { divideValues } from '../../conditions/states/computed-values.js';
import { isForeignKeyViolation, RowLockedError } from '../../database/database-errors.js';
import type { Executor } from '../../database/statement.js';
import type { PublishedForm } from '../../forms/published-form.js';
import type { StoredValue } from '../../conditions/engine/index.js';
import { DELETE_COMPUTED_VALUES, STORE_COMPUTED_VALUES } from './computed.statements.js';

/**
 * Stores the computed values of a draft that is being completed (K2), in place of what was stored in these fields. Call it in the
 * transaction that completes the draft, and before that, because triggers read what is stored then.
 *
 * @throws RowLockedError if the values do not fit the stored form or records any more
 */
export async function storeComputedValues(
  executor: Executor,
  uuid: string,
  form: PublishedForm,
  values: readonly StoredValue[],
): Promise<void> {
  if (form.rules.computed === undefined) return;
  await executor.query(DELETE_COMPUTED_VALUES, [uuid, [...form.rules.computed.fieldIds]]);
  const { computed } = divideValues(form, values);
  if (computed.length === 0) return;
  try {
    await executor.query(STORE_COMPUTED_VALUES, [
      ...[uuid, form.id],
      computed.map(([fieldId]) => fieldId),
      computed.map(([fieldId]) => form.fieldsById.get(fieldId)?.isRepeatable ?? false),
      computed.map(([, recordId]) => recordId),
      computed.map(([, , text]) => text),
    ]);
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error;
    // Another transaction has just deleted a record or a field.
    throw new RowLockedError();
  }
}
