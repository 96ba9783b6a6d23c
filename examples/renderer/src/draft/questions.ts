import type { Conditions, Entity, Field, FormSchema, Step, SubmissionRecord } from 'formtrail-client';
import { type AnswerKey, answerKey, groupKey, type PlaceKey } from './answer-key';

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

/** Of each field, and of the fields of each entry by its own answers. */
export type States = Conditions<'map', 'records'>;

/** What decides which questions there are. */
export interface Asked {
  readonly form: FormSchema;
  readonly records: readonly SubmissionRecord[];
  readonly states: States;
}

/** A field to show; one of a group is shown in each entry. */
export interface ShownField {
  readonly field: Field;
  readonly key: AnswerKey;
  readonly isRequired: boolean;
}

/** What was added to a group: the fields of one record. */
export interface Entry {
  readonly record: SubmissionRecord;
  /** "Receipt 2"; numbers are by place, and move up where an entry before it is removed. */
  readonly name: string;
  readonly fields: readonly ShownField[];
}

export interface Group {
  readonly kind: 'group';
  readonly entity: Entity;
  readonly entries: readonly Entry[];
  /** Whether the entity takes another entry. */
  readonly hasRoom: boolean;
}

/** A field on its own, or the fields of a step that are filled in once for each record of their entity. */
export type Block = { readonly kind: 'field'; readonly shown: ShownField } | Group;

/** What to show of a step, in its order; what the service says, and nothing else, decides. */
export function blocksOf(step: Step, asked: Asked): Block[] {
  const blocks: Block[] = [];
  const grouped = new Set<string>();
  for (const field of step.fields) {
    const entity = entityOf(field, asked.form);
    if (entity === undefined) {
      const shown = shownIn(null, [field], asked);
      blocks.push(...shown.map((one) => ({ kind: 'field' as const, shown: one })));
    } else if (!grouped.has(entity.name)) {
      grouped.add(entity.name);
      blocks.push(...groupOf(entity, step, asked));
    }
  }
  return blocks;
}

/** None where it has no entries, and the conditions hide all that a first one would ask. */
function groupOf(entity: Entity, step: Step, asked: Asked): Group[] {
  const fields = step.fields.filter((field) => entityOf(field, asked.form) === entity);
  const entries = entriesOf(entity, fields, asked);
  const isShown = [...entries.flatMap((entry) => entry.fields), ...shownIn(null, fields, asked)].length > 0;
  const most = entity.is_repeatable ? (entity.max_records ?? Number.POSITIVE_INFINITY) : 1;
  return isShown ? [{ kind: 'group', entity, entries, hasRoom: entries.length < most }] : [];
}

function entriesOf(entity: Entity, fields: readonly Field[], asked: Asked): Entry[] {
  return asked.records
    .filter((record) => record.entity === entity.name)
    .map((record, index) => ({
      record,
      name: `${entity.label} ${index + 1}`,
      fields: shownIn(record.id, fields, asked),
    }));
}

function shownIn(recordId: number | null, fields: readonly Field[], { states }: Asked): ShownField[] {
  // Those of an entry that was added just now are not known yet.
  const known = recordId === null ? states.data : (states.records[recordId] ?? {});
  return fields.flatMap((field) => {
    const state = known[field.id];
    return state?.visible ? [{ field, key: answerKey(field.id, recordId), isRequired: state.required }] : [];
  });
}

/** The entity in whose entries the field is answered; one that is not repeatable has one answer, whatever its entity. */
export function entityOf({ entity, is_repeatable }: Field, { entities }: FormSchema): Entity | undefined {
  return is_repeatable && entity !== null ? entities.find(({ name }) => name === entity) : undefined;
}

/** The ids of the fields that are answered in entries only. */
export function groupedFields(form: FormSchema): ReadonlySet<number> {
  const fields = form.steps.flatMap((step) => step.fields);
  return new Set(fields.filter((field) => entityOf(field, form) !== undefined).map(({ id }) => id));
}

/**
 * The steps to walk. The service counts every step (S8) and leaves it to its clients what a step that is hidden, or has
 * nothing to show, means; to a person an empty page would mean nothing.
 */
export function walkedSteps(steps: readonly PlacedStep[], asked: Asked): PlacedStep[] {
  return steps.filter(({ step }) => step.is_visible && blocksOf(step, asked).length > 0);
}

/** The questions of a step that are shown, in the order of the page. */
export function questionsOf(step: Step, asked: Asked): ShownField[] {
  return blocksOf(step, asked)
    .flatMap((block) =>
      block.kind === 'field' ? [block.shown] : block.entries.flatMap(({ fields }) => fields),
    )
    .filter(({ field }) => isQuestion(field));
}

/** A heading or a paragraph: it is shown, and holds no value (V8). */
export function isQuestion({ field_type }: Field): boolean {
  return field_type.component !== 'heading-display' && field_type.component !== 'paragraph-display';
}

/** What a message on a step can be about, in the order of the page, with its name for people. */
export interface Place {
  readonly key: PlaceKey;
  readonly name: string;
}

export function placesOf(step: Step, asked: Asked): Place[] {
  return blocksOf(step, asked).flatMap((block) =>
    block.kind === 'field'
      ? [{ key: block.shown.key, name: block.shown.field.label }]
      : [
          { key: groupKey(block.entity.name), name: block.entity.label },
          ...block.entries.flatMap((entry) =>
            entry.fields.map(({ key, field }) => ({ key, name: `${entry.name}, ${field.label}` })),
          ),
        ],
  );
}
