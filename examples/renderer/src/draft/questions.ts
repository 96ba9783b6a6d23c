import type { ConditionsMap, Field, FormSchema, Step } from 'formtrail-client';
import { type AnswerKey, answerKey } from './answer-key';

/** A step and its place among the form's steps, which is what a submission's `current_step` means. */
export interface PlacedStep {
  readonly position: number;
  readonly step: Step;
}

export function placedSteps(form: FormSchema): PlacedStep[] {
  return [...form.steps]
    .sort((a, b) => a.step_number - b.step_number)
    .map((step, index) => ({ step, position: index + 1 }));
}

/** The fields to show, in their order; what the service says, and nothing else, decides. */
export function visibleFields(step: Step, states: ConditionsMap): Field[] {
  return step.fields.filter(({ id }) => states[id]?.visible);
}

/**
 * The steps to walk. The service counts every step (S8) and leaves it to its clients what a step that is hidden, or has
 * nothing to show, means; to a person an empty page would mean nothing.
 */
export function walkedSteps(steps: readonly PlacedStep[], states: ConditionsMap): PlacedStep[] {
  return steps.filter(({ step }) => step.is_visible && visibleFields(step, states).length > 0);
}

/** A heading or a paragraph: it is shown, and holds no value (V8). */
export function isQuestion({ field_type }: Field): boolean {
  return field_type.component !== 'heading-display' && field_type.component !== 'paragraph-display';
}

/** The keys under which a field holds values: of a repeatable field one for each entity record, and one without. */
export function answerKeys(field: Field, records: readonly (number | null)[]): AnswerKey[] {
  return field.is_repeatable
    ? records.map((recordId) => answerKey(field.id, recordId))
    : [answerKey(field.id, null)];
}

/** A field on its own, or repeatable fields that follow each other and belong into one entry per entity record. */
export type Block =
  { readonly kind: 'field'; readonly field: Field } | { readonly kind: 'entries'; readonly fields: Field[] };

export function blocksOf(fields: readonly Field[]): Block[] {
  const blocks: Block[] = [];
  for (const field of fields) {
    const last = blocks.at(-1);
    if (!field.is_repeatable) blocks.push({ kind: 'field', field });
    else if (last?.kind === 'entries') last.fields.push(field);
    else blocks.push({ kind: 'entries', fields: [field] });
  }
  return blocks;
}
