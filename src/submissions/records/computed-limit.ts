import type { Executor } from '../../database/statement.js';
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
  const inOneRecord = ({ fields }: PublishedEntity) => fields.filter(isComputedInRecords).length;
  if (form.rules.computed === undefined || inOneRecord(entity) === 0) return;
  const [row] = await executor.query(FIND_RECORDS, [uuid, userId]);
  const outside = form.fields.filter(
    (field) => field.computed !== null && !isComputedInRecords(field),
  ).length;
  const entities = (row?.records ?? []).flatMap(([, entityId]) => form.entitiesById.get(entityId) ?? []);
  const count = [...entities, entity].reduce((sum, one) => sum + inOneRecord(one), outside);
  if (count > MAX_COMPUTED) throw invalidDataProblem({ entity: [tooManyComputedError()] });
}

const isComputedInRecords = ({ computed, entity, isRepeatable }: PublishedField): boolean =>
  computed !== null && entity !== null && isRepeatable;

const tooManyComputedError = () =>
  fieldError(
    'too_many_computed',
    `The submission must not have more than ${MAX_COMPUTED} computed values, so it cannot have another record.`,
    { max: MAX_COMPUTED },
  );
