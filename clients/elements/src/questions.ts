import type { FormSchema, Mistake } from 'formtrail-client';
import type { DraftStep, Group, Question, ShownDraft } from 'formtrail-session';
import type { Subject } from 'formtrail-session/sentences';
import { plainText } from 'formtrail-session/markup';
import type { Words } from './words.js';

/** A question on a step, with the name of its entry, such as "Receipt 2". */
export interface PlacedQuestion {
  readonly question: Question;
  readonly entry: string | undefined;
}

/** All questions of a step, in the order of the page. */
export function questionsOn(step: DraftStep | undefined): PlacedQuestion[] {
  return (step?.blocks ?? []).flatMap((block): PlacedQuestion[] => {
    if (block.kind === 'question') return [{ question: block, entry: undefined }];
    if (block.kind === 'text') return [];
    return block.entries.flatMap(({ number, blocks }) =>
      blocks
        .filter((one) => one.kind === 'question')
        .map((question) => ({ question, entry: `${plainText(block.entity.label)} ${number}` })),
    );
  });
}

/** With fewer places left, people see how many. */
const FEW = 6;

/** How many places an option has left, if they are few. */
export function placesText({ placesLeft }: Question, value: string, { text }: Words): string {
  const count = Object.hasOwn(placesLeft, value) ? (placesLeft[value] ?? FEW) : FEW;
  return count < FEW ? ` ${text.placesLeft(count)}` : '';
}

/** Whether the option has no places left, and is not chosen. */
export function isTaken({ placesLeft }: Question, value: string, chosen: readonly string[]): boolean {
  return placesLeft[value] === 0 && !chosen.includes(value);
}

/** An item of the error summary. */
export interface Problem {
  /** Key of the question or group. Undefined if no step shows it. */
  readonly key: string | undefined;
  readonly text: string;
}

/** The errors of the current step, in the order of the page, then those that no step shows. */
export function problemsOn({ form, step, mistakes }: ShownDraft, words: Words): Problem[] {
  const placed = questionsOn(step);
  return mistakes
    .filter(({ position }) => position === undefined || position === step?.position)
    .map(({ key, mistake }) => {
      const found = placed.find(({ question }) => question.key === key);
      const entry = found?.entry === undefined ? '' : `${words.beginning(found.entry)} `;
      const group = step?.blocks.find((block): block is Group => block.kind === 'group' && block.key === key);
      const subject = found?.question ?? group ?? subjectOf(mistake, form);
      return { key, text: entry + words.labelled(mistake, subject) };
    });
}

/** The group or the field, if no step shows it. */
function subjectOf({ field: name }: Mistake, { steps, entities }: FormSchema): Subject {
  const code = name.replace(/\.\d+$/, '');
  return {
    field: steps.flatMap(({ fields }) => fields).find((field) => field.code === code),
    entity: entities.find((entity) => entity.name === name),
  };
}
