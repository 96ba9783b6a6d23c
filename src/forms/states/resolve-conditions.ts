import type { ConditionsShape } from '../../config/environment.js';
import type { PublishedField, PublishedForm } from '../published-form.js';
import { invalid, fieldError } from '../../http/errors/problems.js';
import { inSlices, Slices } from '../../http/slices.js';
import { presentExplained, presentStates } from './conditions.presenter.js';
import type { ConditionsQuery } from './conditions-query.dto.js';
import type { ExplainedState, RecordStates, Searches, StoredValue } from '../../rules/index.js';

/** Maximum characters of an explanation of records. Each record may repeat every condition of the form. */
const MAX_EXPLANATION = 4 * 1024 * 1024;

/** The stored values and records that conditions are evaluated on. */
interface Stored {
  readonly values: readonly StoredValue[];
  /** The ids of records and of their entities. Only required for `scope=records`. */
  readonly records?: readonly (readonly [id: number, entityId: number, ...others: unknown[]])[];
}

type Present<State> = (
  shape: ConditionsShape,
  fields: readonly PublishedField[],
  states: readonly State[],
) => string;

/**
 * Returns the states of all fields for the stored values, as JSON (specification, section 2, rule 1). Returns a promise if that
 * takes long, because the work is then done in slices.
 *
 * @throws Problem 422 under `explain` if the explanation of records is too long
 */
export function resolveConditions(
  form: PublishedForm,
  stored: Stored,
  query: ConditionsQuery,
  defaultShape: ConditionsShape,
): string | Promise<string> {
  const searching = form.rules.search(stored.values);
  return searching === undefined
    ? resolveSearched(form, stored, query, defaultShape)
    : inSlices(searching).then((searches) => resolveSearched(form, stored, query, defaultShape, searches));
}

function resolveSearched(
  form: PublishedForm,
  { values, records = [] }: Stored,
  { shape: requestedShape, scope, explain }: ConditionsQuery,
  defaultShape: ConditionsShape,
  searches?: Searches,
): string | Promise<string> {
  const { fields, fieldsById, rules, entitiesById } = form;
  const shape = requestedShape ?? defaultShape;
  const isExplained = explain === 'true';
  const explained: Present<ExplainedState> = (shape, fields, states) =>
    presentExplained(shape, fields, states, fieldsById);
  const states = isExplained
    ? explained(shape, fields, rules.explainStates(values, searches))
    : presentStates(shape, fields, rules.resolveStates(values, searches));
  if (scope !== 'records') return `{"data":${states}}`;

  const entities = new Map(records.map(([id, entityId]) => [id, entitiesById.get(entityId)]));
  const named = [...entities].map(([id, entity]) => ({ id, entity: entity?.name ?? '' }));
  const presentRecords = async <State>(recordStates: RecordStates<State>, present: Present<State>) => {
    const slices = new Slices();
    const texts: string[] = [];
    let length = 0;
    for (const [id, states] of recordStates) {
      const text = `"${id}":${present(shape, entities.get(id)?.fields ?? [], states)}`;
      length += text.length;
      if (isExplained && length > MAX_EXPLANATION) throw tooMuchToExplain();
      texts.push(text);
      const pause = slices.next();
      if (pause !== undefined) await pause;
    }
    return `{"data":${states},"records":{${texts.join()}}}`;
  };
  return isExplained
    ? presentRecords(rules.explainRecords(values, named, searches), explained)
    : presentRecords(rules.resolveRecords(values, named, searches), presentStates);
}

const tooMuchToExplain = () =>
  invalid({
    explain: [
      fieldError(
        'too_much_to_explain',
        `The explanation of all records has more than ${MAX_EXPLANATION} characters. Leave out explain=true or scope=records.`,
        { max: MAX_EXPLANATION },
      ),
    ],
  });
