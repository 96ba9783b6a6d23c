import { Injectable } from '@nestjs/common';
import { Environment } from '../config/environment.js';
import type { PublishedField, PublishedForm } from '../forms/published-form.js';
import { presentExplained, presentStates } from './conditions.presenter.js';
import type { ConditionsQuery } from './conditions-query.dto.js';
import type { StoredValue } from './rules/index.js';

/** An entity record, with the id of its entity. */
type StoredRecord = readonly [id: number, entityId: number, ...others: unknown[]];

/** Resolves conditions by what is stored (specification, section 2, rule 1), as JSON. */
@Injectable()
export class ConditionsService {
  constructor(private readonly environment: Environment) {}

  /** The state of every field of the form. */
  resolve(
    { fields, rules }: PublishedForm,
    values: readonly StoredValue[],
    { shape = this.environment.conditionsShape, explain }: ConditionsQuery,
  ): string {
    return explain === 'true'
      ? presentExplained(shape, fields, rules.explainStates(values))
      : presentStates(shape, fields, rules.resolveStates(values));
  }

  /** By record id, the states of its entity's fields (R6). */
  resolveRecords(
    { entitiesById, rules }: PublishedForm,
    values: readonly StoredValue[],
    records: readonly StoredRecord[],
    { shape = this.environment.conditionsShape, explain }: ConditionsQuery,
  ): string {
    const entities = records.map(([, entityId]) => entitiesById.get(entityId));
    const named = records.map(([id], index) => ({ id, entity: entities[index]?.name ?? '' }));
    const presented =
      explain === 'true'
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
}
