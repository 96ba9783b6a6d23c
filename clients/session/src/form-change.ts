// A chunk of its own, loaded only when a form has changed while it was filled in.
import { type AnswerKey, Places } from './answer-key.js';
import type { Situation } from './situation.js';
import type { FormChange } from './snapshot.js';
import type { StoredSubmission } from './stored-submission.js';

/** Returns what the user has to see (N4), and the new position of their step. `values` are the answers before the change. */
export type Explain = (
  values: ReadonlyMap<AnswerKey, string>,
  position: number,
) => Pick<Situation, 'formChanged' | 'position'>;

/** Reads the form of a submission again. */
export async function readForm(submission: StoredSubmission): Promise<Explain> {
  const { client, form, places } = submission;
  submission.form = (await client.getFormSchema(form.uuid)).data;
  submission.places = new Places(submission.form);
  submission.isOutdated = false;
  return (values, position) => {
    const removed: FormChange['removed'][number][] = [];
    const retyped: AnswerKey[] = [];
    for (const [key, value] of values) {
      const field = places.of(key)?.field;
      const now = submission.places.of(key)?.field;
      if (field === undefined || value === '') continue;
      if (now === undefined) removed.push({ field, value });
      else if (now.field_type.component !== field.field_type.component) retyped.push(key);
    }
    const step = form.steps[position - 1]?.id;
    const index = submission.form.steps.findIndex(({ id }) => id === step);
    return { formChanged: { removed, retyped }, position: index < 0 ? position : index + 1 };
  };
}
