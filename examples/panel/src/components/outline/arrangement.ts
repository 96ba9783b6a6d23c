/** A step, with its fields in their order. */
interface Step<F> {
  readonly id: number;
  readonly fields: readonly F[];
}

interface Identified {
  readonly id: number;
}

/** A field or a step of a form. */
export interface Part {
  readonly kind: 'field' | 'step';
  readonly id: number;
}

/** Where to put a field: in a step, before one of its fields or at the end. Where to put a step: before another step or at the end. */
export interface Place {
  readonly step?: number | undefined;
  readonly before: number | undefined;
}

/** Returns the steps with one part moved. */
export function arranged<F extends Identified, S extends Step<F>>(
  steps: readonly S[],
  part: Part,
  { step: stepId, before }: Place,
): readonly S[] {
  if (before === part.id) return steps;
  if (part.kind === 'step') {
    const moved = steps.find(({ id }) => id === part.id);
    return moved === undefined ? steps : insert(without(steps, part.id), moved, before);
  }
  const field = steps.flatMap(({ fields }) => fields).find(({ id }) => id === part.id);
  if (field === undefined) return steps;
  return steps.map((step) => {
    const others = without(step.fields, part.id);
    return { ...step, fields: step.id === stepId ? insert(others, field, before) : others };
  });
}

/** Returns the position one up or down, or undefined at the start or end of the form. */
export function neighbour(
  steps: readonly Step<Identified>[],
  { kind, id }: Part,
  direction: 'up' | 'down',
): Place | undefined {
  const up = direction === 'up';
  if (kind === 'step') return beside(steps, id, up);
  const index = steps.findIndex(({ fields }) => fields.some((field) => field.id === id));
  const step = steps[index];
  if (step === undefined) return undefined;
  const place = beside(step.fields, id, up);
  if (place !== undefined) return { step: step.id, ...place };
  const next = steps[up ? index - 1 : index + 1];
  return next && { step: next.id, before: up ? undefined : next.fields[0]?.id };
}

/** Whether both have the same order. */
export function isSameOrder(one: readonly Step<Identified>[], other: readonly Step<Identified>[]): boolean {
  const order = (steps: readonly Step<Identified>[]) =>
    steps.map(({ id, fields }) => `${id}: ${fields.map((field) => field.id).join()}`).join('; ');
  return order(one) === order(other);
}

function beside(parts: readonly Identified[], id: number, up: boolean): Place | undefined {
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
