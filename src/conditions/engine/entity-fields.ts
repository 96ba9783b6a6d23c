import type { ContainerConditions, FieldConditions, ValuesByField } from './condition-set.js';
import type { FieldValues } from './field-values.js';
import type { EngineField } from './vocabulary.js';

/** The fields of an entity, which are evaluated for each of its records (R6). */
export interface EntityFields {
  /** Positions among the fields of the form. */
  readonly positions: readonly number[];
  readonly rules: readonly { readonly rule: FieldConditions; readonly index: number }[];
  /** Indexes of the fields in {@link ValuesByField}. */
  readonly sources: readonly number[];
  /** Indexes of the fields that hold a value for each record. */
  readonly repeatableSources: readonly number[];
  /** The steps and entities with conditions that contain fields of the entity, with the indexes of these fields. */
  readonly containers: ReadonlyMap<ContainerConditions, readonly number[]>;
}

export const NO_FIELDS: EntityFields = {
  positions: [],
  rules: [],
  sources: [],
  repeatableSources: [],
  containers: new Map(),
};

export function entitiesOf(
  fields: readonly EngineField[],
  rules: readonly FieldConditions[],
  containers: readonly ContainerConditions[],
  sources: ReadonlyMap<number, number>,
): Map<string, EntityFields> {
  const ruleAt = new Map(rules.map((rule) => [rule.position, rule]));
  const containerRules = new Map(containers.map((rule) => [rule.container, rule]));
  const entities = new Map<string, ReturnType<typeof noFields>>();
  for (const [position, field] of fields.entries()) {
    if (field.entity === undefined) continue;
    let entity = entities.get(field.entity);
    if (entity === undefined) entities.set(field.entity, (entity = noFields()));
    const index = entity.positions.push(position) - 1;
    const rule = ruleAt.get(position);
    if (rule !== undefined) entity.rules.push({ rule, index });
    const source = sources.get(field.id);
    if (source !== undefined) entity.sources.push(source);
    if (source !== undefined && field.isRepeatable) entity.repeatableSources.push(source);
    for (const container of field.containers ?? []) {
      const containing = containerRules.get(container) as ContainerConditions;
      const indexes = entity.containers.get(containing);
      if (indexes === undefined) entity.containers.set(containing, [index]);
      else indexes.push(index);
    }
  }
  return entities;
}

const noFields = () => ({
  positions: [] as number[],
  rules: [] as { rule: FieldConditions; index: number }[],
  sources: [] as number[],
  repeatableSources: [] as number[],
  containers: new Map<ContainerConditions, number[]>(),
});

/** Replaces the values of the entity's repeatable fields by the values that the record has for them (R6). */
export function withRecordValues(
  values: ValuesByField,
  ofRecord: ValuesByField,
  { repeatableSources }: Pick<EntityFields, 'repeatableSources'>,
): FieldValues[] {
  const replaced = values.slice();
  for (const source of repeatableSources) replaced[source] = ofRecord[source];
  return replaced;
}

/** Restores the stored values of all fields of the entity, because the record decides which of these fields are hidden. */
export function withEntityValues(
  visible: ValuesByField,
  storedInRecord: ValuesByField,
  { sources }: EntityFields,
): FieldValues[] {
  const restored = visible.slice();
  for (const source of sources) restored[source] = storedInRecord[source];
  return restored;
}
