import type { Draft, DraftStep, Question, ShownDraft } from 'formtrail-session';
import type { Problem } from './page/error-summary';
import { placeId } from './focus';
import { say } from './sentences';

/** A question on a step, with the name of its entry, such as "Receipt 2". */
export interface PlacedQuestion {
  readonly question: Question;
  readonly entry: string | undefined;
}

/** The current step. Undefined if no step is shown, or the draft is not open. */
export function stepOf(draft: Draft): DraftStep | undefined {
  const snapshot = draft.getSnapshot();
  return snapshot.status === 'open' ? snapshot.step : undefined;
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

/** Whether the user has answered a question or added an entry. */
export function hasAnswers({ steps }: ShownDraft): boolean {
  return steps.some(
    (step) =>
      step.blocks.some((block) => block.kind === 'group' && block.entries.length > 0) ||
      questionsOn(step).some(({ question: { value, field } }) => value !== (field.default_value ?? '')),
  );
}

/** The errors of the current step, in the order of the page, then those that no step shows. */
export function problemsOn({ form, step, mistakes }: ShownDraft): Problem[] {
  const questions = questionsOn(step);
  return mistakes
    .filter(({ position }) => position === undefined || position === step?.position)
    .map(({ key, mistake }) => {
      if (key === undefined) {
        const code = mistake.field.replace(/\.\d+$/, '');
        const field = form.steps.flatMap(({ fields }) => fields).find((one) => one.code === code);
        const entity = form.entities.find(({ name }) => name === mistake.field);
        return { key, inputId: undefined, text: say.labelled(mistake, { field, entity }) };
      }
      const placed = questions.find(({ question }) => question.key === key);
      const group = step?.blocks.find((block) => block.key === key);
      const entry = placed?.entry === undefined ? '' : `${placed.entry}: `;
      return {
        key,
        inputId: placeId(key),
        text: entry + say.labelled(mistake, placed?.question ?? group ?? {}),
      };
    });
}
