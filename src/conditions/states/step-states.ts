import type { PublishedField, PublishedForm } from '../../forms/published-form.js';
import type { Searches, StoredValue } from '../engine/index.js';

export interface StoredAnswers {
  readonly values: readonly StoredValue[];
  /** The ids of records and of their entities. */
  readonly records?: readonly (readonly [id: number, entityId: number, ...others: unknown[]])[];
}

/** The records with the names of their entities, as the rules need them. */
export const namedRecords = ({ entitiesById }: PublishedForm, { records = [] }: StoredAnswers) =>
  records.map(([id, entityId]) => ({ id, entity: entitiesById.get(entityId)?.name ?? '' }));

export interface StepState {
  readonly stepNumber: number;
  /** Neither the panel nor a condition hides the step. */
  readonly isVisible: boolean;
  readonly hasVisibleFields: boolean;
}

export interface EntityState {
  readonly name: string;
  readonly isVisible: boolean;
}

/**
 * Resolves which steps and entities are visible (C12). A field counts as visible if it is visible without a record or in any of its
 * records. An entity whose fields are all hidden is hidden (C14). The caller can pause after each yield.
 */
export function* stepStates(
  form: PublishedForm,
  stored: StoredAnswers,
  searches?: Searches,
): Generator<undefined, { steps: StepState[]; entities: EntityState[] }> {
  const { rules, fields, steps, entitiesById, entitiesByName } = form;
  const { values } = stored;
  const hidden = rules.hiddenContainers(values, searches);
  const visible = new Set<PublishedField>();
  for (const [index, state] of rules.resolveStates(values, searches).entries())
    if (state.visible) visible.add(fields[index] as PublishedField);
  yield;
  const records = namedRecords(form, stored);
  const entityOf = new Map(records.map(({ id, entity }) => [id, entitiesByName.get(entity)]));
  for (const [id, states] of rules.resolveRecords(values, records, searches)) {
    const own = entityOf.get(id)?.fields ?? [];
    for (const [index, state] of states.entries())
      if (state.visible) visible.add(own[index] as PublishedField);
    yield;
  }
  const numbers = new Set([...visible].map(({ stepNumber }) => stepNumber));
  return {
    steps: steps.map(({ stepNumber, isVisible, container }) => ({
      stepNumber,
      isVisible: isVisible && (container === undefined || !hidden.has(container)),
      hasVisibleFields: numbers.has(stepNumber),
    })),
    entities: [...entitiesById.values()].map(({ name, container, fields }) => ({
      name,
      isVisible:
        (container === undefined || !hidden.has(container)) &&
        (fields.length === 0 || fields.some((field) => visible.has(field))),
    })),
  };
}
