import type { EntityJson, FieldJson, FormOutlineJson, StepJson } from './form-outline-json.ts';

/** Fields of a step that follow each other and belong to the same group, or to none. */
export interface Block {
  readonly entity: EntityJson | undefined;
  readonly fields: readonly FieldJson[];
}

/** The step in which a group without fields was begun, by its id. The database only knows the steps of its fields. */
export type Begun = ReadonlyMap<number, number>;

/** Divides a step into its groups and the fields between them. A group without fields and of an unknown step is in the last one. */
export function blocksOf({ entities, steps }: FormOutlineJson, step: StepJson, begun: Begun): Block[] {
  const blocks: { entity: EntityJson | undefined; fields: FieldJson[] }[] = [];
  for (const field of step.fields) {
    const entity = entities.find(({ id }) => id === field.entityId);
    const last = blocks.at(-1);
    if (last !== undefined && last.entity === entity) last.fields.push(field);
    else blocks.push({ entity, fields: [field] });
  }
  const filled = new Set(steps.flatMap(({ fields }) => fields).map(({ entityId }) => entityId));
  const empty = entities.filter(
    ({ id }) => !filled.has(id) && (begun.get(id) ?? steps.at(-1)?.id) === step.id,
  );
  return [...blocks, ...empty.map((entity) => ({ entity, fields: [] }))];
}
