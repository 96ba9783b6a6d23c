import { Injectable } from '@nestjs/common';
import type { ConditionsShape } from '../config/environment.js';
import type { PublishedField, PublishedForm } from '../forms/published-form.js';
import type { StoredValue, ValuesAndRecordsRow } from '../submissions/submission.statements.js';
import type { SubmissionReference } from '../submissions/submission-reference.decorator.js';
import { SubmissionsService } from '../submissions/lifecycle/submissions.service.js';
import { presentExplained, presentStates } from './conditions.presenter.js';

export interface ConditionsOptions {
  readonly shape: ConditionsShape;
  /** Whether each state says which conditions are met. */
  readonly explain: boolean;
  /** Whether there are states for each record, too (R6). */
  readonly withRecords: boolean;
}

@Injectable()
export class ConditionsService {
  constructor(private readonly submissions: SubmissionsService) {}

  /** The state of every field of the form, by the values stored now (specification, section 2, rule 1), as JSON. */
  async resolve(reference: SubmissionReference, options: ConditionsOptions): Promise<string> {
    if (!options.withRecords) {
      const { form, submission } = await this.submissions.getValues(reference);
      return `{"data":${statesOf(form, submission.values, options)}}`;
    }
    const { form, submission } = await this.submissions.getValuesAndRecords(reference);
    const states = statesOf(form, submission.values, options);
    return `{"data":${states},"records":${recordStatesOf(form, submission, options)}}`;
  }
}

function statesOf(
  { fields, rules }: PublishedForm,
  values: readonly StoredValue[],
  { shape, explain }: ConditionsOptions,
): string {
  return explain
    ? presentExplained(shape, fields, rules.explainStates(values))
    : presentStates(shape, fields, rules.resolveStates(values));
}

/** By record id. */
function recordStatesOf(
  { entitiesById, rules }: PublishedForm,
  { values, records }: ValuesAndRecordsRow,
  { shape, explain }: ConditionsOptions,
): string {
  const entities = records.map(([, entityId]) => entitiesById.get(entityId));
  const named = records.map(([id], index) => ({ id, entity: entities[index]?.name ?? '' }));
  const presented = explain
    ? statesByRecord(rules.explainRecords(values, named), (fields, states) =>
        presentExplained(shape, fields, states),
      )
    : statesByRecord(rules.resolveRecords(values, named), (fields, states) =>
        presentStates(shape, fields, states),
      );
  return `{${presented.join()}}`;

  function statesByRecord<State>(
    statesOf: ReadonlyMap<number, State[]>,
    present: (fields: readonly PublishedField[], states: readonly State[]) => string,
  ): string[] {
    return records.map(
      ([id], index) => `"${id}":${present(entities[index]?.fields ?? [], statesOf.get(id) ?? [])}`,
    );
  }
}
