import type { ConditionsShape } from '../../config/environment.js';
import type { PublishedField, PublishedForm } from '../../forms/published-form.js';
import { invalidDataProblem, fieldError } from '../../http/errors/problems.js';
import { inSlices, Slices } from '../../http/slices.js';
import { divideValues, explainComputedValues, presentComputedValues } from './computed-values.js';
import { presentExplainedStates, presentStates, presentSteps } from './conditions.presenter.js';
import type { ConditionsQuery } from './conditions-query.dto.js';
import type { ExplainedState, RecordStates, EngineRecord, Searches } from '../engine/index.js';
import { namedRecords, type StoredAnswers, stepStates } from './step-states.js';

/** Maximum characters of an explanation of records. Each record may repeat every condition of the form. */
const MAX_EXPLANATION = 4 * 1024 * 1024;

type Present<State> = (
  shape: ConditionsShape,
  fields: readonly PublishedField[],
  states: readonly State[],
) => string | Promise<string>;

/**
 * Returns the states of all fields for the stored values, as JSON. Returns a promise if that
 * takes long, because the work is then done in slices.
 *
 * @throws Problem 422 under `explain` if the explanation of records is too long
 */
export function resolveConditions(
  form: PublishedForm,
  stored: StoredAnswers,
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
  stored: StoredAnswers,
  { shape: requestedShape, scope, explain, steps, computed }: ConditionsQuery,
  defaultShape: ConditionsShape,
  searches?: Searches,
): string | Promise<string> {
  const { fields, rules, entitiesByName, version } = form;
  const { values } = stored;
  const shape = requestedShape ?? defaultShape;
  const isExplained = explain === 'true';
  const explained: Present<ExplainedState> = (shape, fields, states) =>
    inSlices(presentExplainedStates(shape, fields, states, form));
  if (!isExplained && scope !== 'records' && steps !== 'true' && computed !== 'true')
    return `{"data":${presentStates(shape, fields, rules.resolveStates(values, searches))},"form_version":${version}}`;

  const ofFields = async () => {
    if (!isExplained) return presentStates(shape, fields, rules.resolveStates(values, searches));
    return explained(shape, fields, await inSlices(rules.explainStates(values, searches)));
  };
  const presentRecords = async <State>(
    recordStates: (records: readonly EngineRecord[]) => RecordStates<State>,
    present: Present<State>,
  ) => {
    const records = namedRecords(form, stored);
    const entities = new Map(records.map(({ id, entity }) => [id, entitiesByName.get(entity)]));
    const slices = new Slices();
    const texts: string[] = [];
    let length = 0;
    for (const [id, states] of recordStates(records)) {
      const text = `"${id}":${await present(shape, entities.get(id)?.fields ?? [], states)}`;
      length += text.length;
      if (isExplained && length > MAX_EXPLANATION) throw tooMuchToExplainProblem();
      texts.push(text);
      const pause = slices.next();
      if (pause !== undefined) await pause;
    }
    return `,"records":{${texts.join()}}`;
  };
  const ofRecords = () =>
    isExplained
      ? presentRecords((records) => rules.explainRecords(values, records, searches), explained)
      : presentRecords((records) => rules.resolveRecords(values, records, searches), presentStates);
  const ofSteps = async () => presentSteps(await inSlices(stepStates(form, stored, searches)));
  const ofComputed = async () => {
    const explanations = isExplained ? await explainComputedValues(form, stored, searches) : undefined;
    const results = presentComputedValues(form, divideValues(form, values).computed, explanations);
    return `,"computed":${JSON.stringify(results)}`;
  };
  return (async () => {
    const slices = new Slices();
    const data = await ofFields();
    const pause = slices.next();
    if (pause !== undefined) await pause;
    const records = scope === 'records' ? await ofRecords() : '';
    const containers = steps === 'true' ? await ofSteps() : '';
    const results = computed === 'true' ? await ofComputed() : '';
    return `{"data":${data}${records}${containers}${results},"form_version":${version}}`;
  })();
}

const tooMuchToExplainProblem = () =>
  invalidDataProblem({
    explain: [
      fieldError(
        'too_much_to_explain',
        `The explanation of all records has more than ${MAX_EXPLANATION} characters. Leave out explain=true or scope=records.`,
        { max: MAX_EXPLANATION },
      ),
    ],
  });
