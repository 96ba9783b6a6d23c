import type { Draft, DraftStep, Question, ShownDraft } from 'formtrail-session';
import type { Problem } from './page/error-summary';
import { placeId } from './focus';
import { sentenceOfMistake, summaryOfMistake } from './sentences';

/** A question on a step, with the name of its entry, such as "Receipt 2". */
export interface PlacedQuestion {
  readonly question: Question;
  readonly entry: string | undefined;
}

/** Position of the current step. Undefined if no step is shown, or the draft is not open. */
export function positionOf(draft: Draft): number | undefined {
  const snapshot = draft.getSnapshot();
  return snapshot.status === 'open' ? snapshot.step?.position : undefined;
}

/** All questions of a step, in the order of the page. */
export function questionsOn(step: DraftStep | undefined): PlacedQuestion[] {
  return (step?.blocks ?? []).flatMap((block): PlacedQuestion[] => {
    if (block.kind === 'question') return [{ question: block, entry: undefined }];
    if (block.kind === 'text') return [];
    return block.entries.flatMap(({ number, blocks }) =>
      blocks
        .filter((one) => one.kind === 'question')
        .map((question) => ({ question, entry: `${block.entity.label} ${number}` })),
    );
  });
}

/** The errors of the current step, in the order of the page, then those that no step shows. */
export function problemsOn({ step, mistakes }: ShownDraft): Problem[] {
  const questions = questionsOn(step);
  return mistakes
    .filter(({ position }) => position === undefined || position === step?.position)
    .map(({ key, mistake }) => {
      // Use the service's message, because it names the field.
      if (key === undefined) return { inputId: undefined, text: mistake.detail };
      const placed = questions.find(({ question }) => question.key === key);
      const group = step?.blocks.find((block) => block.key === key);
      const text =
        placed === undefined
          ? `${group?.kind === 'group' ? `${group.entity.label}: ` : ''}${sentenceOfMistake(mistake)}`
          : `${placed.entry === undefined ? '' : `${placed.entry}: `}${summaryOfMistake(mistake, placed.question.field)}`;
      return { inputId: placeId(key), text };
    });
}
