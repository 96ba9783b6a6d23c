import type { Draft, DraftStep, Question, ShownDraft } from 'formtrail-session';
import type { Problem } from './page/error-summary';
import { placeId } from './focus';
import { sentenceOfMistake, summaryOfMistake } from './sentences';

/** A question on a step, and the entry that it is in, such as "Receipt 2". */
export interface PlacedQuestion {
  readonly question: Question;
  readonly entry: string | undefined;
}

/** Of the step that the draft is on; undefined where it is on none, or is no draft any more. */
export function positionOf(draft: Draft): number | undefined {
  const snapshot = draft.getSnapshot();
  return snapshot.status === 'open' ? snapshot.step?.position : undefined;
}

/** In the order of the page. */
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

/** What is wrong on the step, in the order of the page, then what is wrong that no step shows. */
export function problemsOn({ step, mistakes }: ShownDraft): Problem[] {
  const questions = questionsOn(step);
  return mistakes
    .filter(({ position }) => position === undefined || position === step?.position)
    .map(({ key, mistake }) => {
      // By the service's sentence, which names the field: nothing beside it does.
      if (key === undefined) return { inputId: undefined, text: mistake.detail };
      const asked = questions.find(({ question }) => question.key === key);
      const group = step?.blocks.find((block) => block.key === key);
      const text =
        asked === undefined
          ? `${group?.kind === 'group' ? `${group.entity.label}: ` : ''}${sentenceOfMistake(mistake)}`
          : `${asked.entry === undefined ? '' : `${asked.entry}: `}${summaryOfMistake(mistake, asked.question.field)}`;
      return { inputId: placeId(key), text };
    });
}
