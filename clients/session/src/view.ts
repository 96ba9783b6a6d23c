import type { Field, FormSchema, Mistake, Step } from 'formtrail-client';
import { type AnswerKey, answerKey, entityOf, groupKey } from './answer-key.js';
import { isComputed, isText } from './components.js';
import type { StoredSubmission } from './stored-submission.js';
import type {
  Block,
  Conflict,
  DisplayText,
  DraftStep,
  Entry,
  Group,
  PlacedMistake,
  Question,
  ShownDraft,
  Upload,
} from './snapshot.js';

/** The data from which the steps of a draft are built. */
export interface ViewInput {
  readonly submission: StoredSubmission;
  readonly values: ReadonlyMap<AnswerKey, string>;
  /** Field errors by question or group. */
  readonly mistakes: ReadonlyMap<string, Mistake>;
  /** Values that other windows stored. */
  readonly conflicts: ReadonlyMap<AnswerKey, string>;
  readonly uploads: ReadonlyMap<AnswerKey, Upload>;
}

/**
 * The steps to show. Hidden steps and steps without visible fields are left out, so that the user sees no empty page. The service
 * decides which steps these are (C12).
 */
export function stepsOf(input: ViewInput): DraftStep[] {
  const { form, states } = input.submission;
  return form.steps
    .map((step, index) => ({ step, position: index + 1, blocks: blocksOf(step, input) }))
    .filter(({ position }) => {
      const state = states.steps[position - 1];
      return state?.is_visible && state.has_visible_fields;
    })
    .map(({ step: { id, title, description, meta }, position, blocks }, index) => ({
      ...{ id, title, description, meta, position },
      number: index + 1,
      blocks,
    }));
}

/** Position of a step among all steps of the form, from 1. */
export function positionOf(stepId: number | undefined, { steps }: FormSchema): number {
  return (
    Math.max(
      steps.findIndex(({ id }) => id === stepId),
      0,
    ) + 1
  );
}

/** The properties of a snapshot that depend on its steps. */
export function shownSteps(
  steps: readonly DraftStep[],
  position: number,
): Pick<ShownDraft, 'steps' | 'step' | 'isFirstStep' | 'isLastStep' | 'progress'> {
  const reached = steps.filter((step) => step.position <= position).length;
  return {
    steps,
    step: steps.find((step) => step.position === position),
    isFirstStep: !steps.some((step) => step.position < position),
    isLastStep: !steps.some((step) => step.position > position),
    progress: steps.length === 0 ? 100 : Math.round((reached / steps.length) * 100),
  };
}

/** The visible blocks of a step. Only the service decides which fields are visible. */
function blocksOf(step: Step, input: ViewInput): Block[] {
  const blocks: Block[] = [];
  const grouped = new Set<string>();
  for (const field of step.fields) {
    const entity = entityOf(field, input.submission.form);
    if (entity === undefined) blocks.push(...shownIn(null, [field], input));
    else if (!grouped.has(entity.name)) {
      grouped.add(entity.name);
      blocks.push(...groupOf(entity, step, input));
    }
  }
  return blocks;
}

/** Empty if all fields of the group are hidden, both in its entries and in an entry still to be added. */
function groupOf(entity: Group['entity'], step: Step, input: ViewInput): Group[] {
  const { form, records } = input.submission;
  const fields = step.fields.filter((field) => entityOf(field, form) === entity);
  const entries: Entry[] = records
    .filter((record) => record.entity === entity.name)
    .map(({ id }, index) => ({ id, number: index + 1, blocks: shownIn(id, fields, input) }));
  const isShown = [...entries.flatMap(({ blocks }) => blocks), ...shownIn(null, fields, input)].length > 0;
  if (!isShown) return [];
  const most = entity.is_repeatable ? (entity.max_records ?? Number.POSITIVE_INFINITY) : 1;
  const hasRoom = entries.length < most;
  const key = groupKey(entity.name);
  return [{ kind: 'group', key, entity, entries, hasRoom, mistake: input.mistakes.get(key) }];
}

function shownIn(
  recordId: number | null,
  fields: readonly Field[],
  { submission, values, mistakes, conflicts, uploads }: ViewInput,
): (Question | DisplayText)[] {
  const { states, files } = submission;
  const ownStates = recordId === null ? states.data : (states.records[recordId] ?? {});
  return fields.flatMap((field): (Question | DisplayText)[] => {
    const state = ownStates[field.id];
    if (!state?.visible) return [];
    const key = answerKey(field, recordId);
    if (isText(field)) return [{ kind: 'text' as const, key, field }];
    const theirs = conflicts.get(key);
    const value = values.get(key) ?? '';
    const file = files.get(value);
    const upload = uploads.get(key);
    return [
      {
        kind: 'question' as const,
        key,
        field,
        value,
        isRequired: state.required,
        isComputed: isComputed(field),
        mistake: upload?.mistake ?? mistakes.get(key) ?? submission.mistakeOfFile?.(key, file),
        conflict: theirs === undefined ? undefined : { theirs, theirFile: files.get(theirs) },
        file,
        upload,
        placesLeft: submission.limits?.placesLeft(field) ?? {},
      },
    ];
  });
}

/** The questions and groups of a step, in the order of the page, including the questions in entries. */
export function placesOf({ blocks }: DraftStep): (Question | Group)[] {
  return blocks.flatMap((block) => {
    if (block.kind === 'question') return [block];
    if (block.kind === 'text') return [];
    return [block, ...block.entries.flatMap((entry) => entry.blocks.filter(isQuestion))];
  });
}

export function isQuestion(block: Block): block is Question {
  return block.kind === 'question';
}

export function mistakesOn(steps: readonly DraftStep[]): PlacedMistake[] {
  return steps.flatMap((step) =>
    placesOf(step).flatMap(({ key, mistake }) =>
      mistake === undefined ? [] : [{ key, position: step.position, mistake }],
    ),
  );
}

export function conflictsOn(steps: readonly DraftStep[]): Conflict[] {
  return steps
    .flatMap((step) => placesOf(step).filter(isQuestion))
    .flatMap(({ key, field, value, conflict }) =>
      conflict === undefined ? [] : [{ key, field, mine: value, theirs: conflict.theirs }],
    );
}
