import type { ConditionsShape } from '../config/environment.js';
import type { PublishedField, PublishedForm } from '../forms/published-form.js';
import { presentExplained, presentStates } from './conditions.presenter.js';
import type { ConditionsQuery } from './conditions-query.dto.js';
import type { ExplainedState, StoredValue } from './rules/index.js';

/** What conditions look at. */
interface Stored {
  readonly values: readonly StoredValue[];
  /** Their ids and those of their entities; only where the query asks for them. */
  readonly records?: readonly (readonly [id: number, entityId: number, ...others: unknown[]])[];
}

type Present<State> = (
  shape: ConditionsShape,
  fields: readonly PublishedField[],
  states: readonly State[],
) => string;

/** The states of all fields by what is stored (specification, section 2, rule 1), and of records (R6), as JSON. */
export function resolveConditions(
  form: PublishedForm,
  { values, records = [] }: Stored,
  { shape: asked, scope, explain }: ConditionsQuery,
  defaultShape: ConditionsShape,
): string {
  const { fields, fieldsById, rules, entitiesById } = form;
  const shape = asked ?? defaultShape;
  const explained: Present<ExplainedState> = (shape, fields, states) =>
    presentExplained(shape, fields, states, fieldsById);
  const states =
    explain === 'true'
      ? explained(shape, fields, rules.explainStates(values))
      : presentStates(shape, fields, rules.resolveStates(values));
  if (scope !== 'records') return `{"data":${states}}`;

  const entities = records.map(([, entityId]) => entitiesById.get(entityId));
  const named = records.map(([id], index) => ({ id, entity: entities[index]?.name ?? '' }));
  const byRecord = <State>(recordStates: ReadonlyMap<number, State[]>, present: Present<State>) =>
    records.map(
      ([id], index) => `"${id}":${present(shape, entities[index]?.fields ?? [], recordStates.get(id) ?? [])}`,
    );
  const recordStates =
    explain === 'true'
      ? byRecord(rules.explainRecords(values, named), explained)
      : byRecord(rules.resolveRecords(values, named), presentStates);
  return `{"data":${states},"records":{${recordStates.join()}}}`;
}
