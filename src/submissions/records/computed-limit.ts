import type { Executor } from '../../database/statement.js';
import { oncePerVersion } from '../../forms/extends-form.js';
import { MAX_COMPUTED } from '../../forms/limits.js';
import type { PublishedEntity, PublishedField, PublishedForm } from '../../forms/published-form.js';
import { fieldError, invalidDataProblem } from '../../http/errors/problems.js';
import type { SubmissionReference } from '../submission-reference.decorator.js';
import { FIND_RECORDS } from './record.statements.js';

/** Throws 422 if a locked submission would have too many computed values with one more record of the entity (K2). */
export async function requireComputedRoom(
  executor: Executor,
  { uuid, userId }: SubmissionReference,
  form: PublishedForm,
  entity: PublishedEntity,
): Promise<void> {
  const { outside, inRecordOf } = countComputed(form);
  const inOneMore = inRecordOf.get(entity.id);
  if (inOneMore === undefined) return;
  const [row] = await executor.query(FIND_RECORDS, [uuid, userId]);
  let count = outside + inOneMore;
  for (const [, entityId] of row?.records ?? []) count += inRecordOf.get(entityId) ?? 0;
  if (count > MAX_COMPUTED) throw invalidDataProblem({ entity: [tooManyComputedError()] });
}

/** Counts the fields that are computed once, and those that are computed for each record, by the id of its entity. */
const countComputed = oncePerVersion(({ fields, entitiesById }: PublishedForm) => {
  const isComputedInRecords = ({ computed, isRepeatable }: PublishedField) =>
    computed !== null && isRepeatable;
  const inRecordOf = new Map<number, number>();
  let outside = fields.filter(({ computed }) => computed !== null).length;
  for (const { id, fields } of entitiesById.values()) {
    const count = fields.filter(isComputedInRecords).length;
    if (count > 0) inRecordOf.set(id, count);
    outside -= count;
  }
  return { outside, inRecordOf };
});

const tooManyComputedError = () =>
  fieldError(
    'too_many_computed',
    `The submission must not have more than ${MAX_COMPUTED} computed values, so it cannot have another record.`,
    { max: MAX_COMPUTED },
  );
