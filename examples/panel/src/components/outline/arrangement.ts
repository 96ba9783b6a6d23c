/** A step, with its fields in their order. */
interface Step<F> {
  readonly id: number;
  readonly fields: readonly F[];
}

interface Identified {
  readonly id: number;
}

interface Field extends Identified {
  /** The group of the field. */
  readonly entityId: number | null;
}

/** A field or a step of a form. */
export interface Part {
  readonly kind: 'field' | 'step';
  readonly id: number;
}

/** Where to put a step: before another step or at the end. */
interface PlaceOfStep {
  readonly before: number | undefined;
}

/** Where to put a field: in a step and a group or none, before one of the step's fields or at its end. */
export interface PlaceOfField extends PlaceOfStep {
  readonly step: number;
  readonly entityId: number | null;
}

export type Place = PlaceOfStep | PlaceOfField;

/** Returns the steps with one part moved. */
export function arranged<F extends Field, S extends Step<F>>(
  steps: readonly S[],
  part: Part,
  place: Place,
): readonly S[] {
  if (!('step' in place)) {
    const moved = steps.find(({ id }) => id === part.id);
    if (moved === undefined || place.before === part.id) return steps;
    return insert(without(steps, part.id), moved, place.before);
  }
  const { step: stepId, entityId } = place;
  const field = steps.flatMap(({ fields }) => fields).find(({ id }) => id === part.id);
  if (field === undefined) return steps;
  return steps.map((step) => {
    const others = without(step.fields, part.id);
    if (step.id !== stepId) return { ...step, fields: others };
    // A field that stays where it is can still enter or leave a group.
    const index = step.fields.findIndex(({ id }) => id === part.id);
    const before = place.before === part.id ? step.fields[index + 1]?.id : place.before;
    return { ...step, fields: insert(others, { ...field, entityId }, before) };
  });
}

/**
 * Returns the position one up or down, or undefined at the start or end of the form. A field outside of a group passes the whole group,
 * because fields with answers cannot enter it. At the edge of its group, a field leaves the group, and keeps its position.
 */
export function neighbour(
  steps: readonly Step<Field>[],
  { kind, id }: Part,
  direction: 'up' | 'down',
): Place | undefined {
  const up = direction === 'up';
  if (kind === 'step') return beside(steps, id, up);
  const index = steps.findIndex(({ fields }) => fields.some((field) => field.id === id));
  const step = steps[index];
  if (step === undefined) return undefined;
  const { fields } = step;
  const position = fields.findIndex((field) => field.id === id);
  const entityId = fields[position]?.entityId ?? null;
  const other = fields[up ? position - 1 : position + 1];
  if (entityId !== null && other?.entityId !== entityId) return { step: step.id, entityId: null, before: id };
  if (other === undefined) {
    const next = steps[up ? index - 1 : index + 1];
    return next && { step: next.id, entityId: null, before: up ? undefined : next.fields[0]?.id };
  }
  const isOfGroup = other.entityId !== entityId;
  const isBeyond = (field: Field) => (isOfGroup ? field.entityId !== other.entityId : field !== other);
  const before = up
    ? fields[fields.slice(0, position).findLastIndex(isBeyond) + 1]
    : fields.slice(position + 1).find(isBeyond);
  return { step: step.id, entityId, before: before?.id };
}

/** Whether both have the same order, and the same fields in each group. */
export function isSameArrangement(one: readonly Step<Field>[], other: readonly Step<Field>[]): boolean {
  const written = (steps: readonly Step<Field>[]) =>
    steps.map((step) => `${step.id}: ${step.fields.map(({ id, entityId }) => `${id} ${entityId}`).join()}`);
  return written(one).join('; ') === written(other).join('; ');
}

function beside(parts: readonly Identified[], id: number, up: boolean): PlaceOfStep | undefined {
  const index = parts.findIndex((part) => part.id === id);
  if (up) return index > 0 ? { before: parts[index - 1]?.id } : undefined;
  return index < parts.length - 1 ? { before: parts[index + 2]?.id } : undefined;
}

const without = <P extends Identified>(parts: readonly P[], id: number) =>
  parts.filter((part) => part.id !== id);

function insert<P extends Identified>(parts: readonly P[], part: P, before: number | undefined): P[] {
  const index = parts.findIndex(({ id }) => id === before);
  return parts.toSpliced(index < 0 ? parts.length : index, 0, part);
}
