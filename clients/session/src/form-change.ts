// A chunk of its own, loaded only when a form has changed while it was filled in.
import { type AnswerKey, Places } from './answer-key.js';
import { isComputed, isText } from './components.js';
import type { Situation } from './situation.js';
import type { FormChange } from './snapshot.js';
import type { StoredSubmission } from './stored-submission.js';

/** Returns what the user has to see (N4), and the id of their step. `values` are the answers before the change. */
export type Explain = (
  values: ReadonlyMap<AnswerKey, string>,
  stepId: number | undefined,
) => Pick<Situation, 'formChanged' | 'stepId'>;

/** Reads the form of a submission again. Resolves to undefined if it is the known one: the last response came from a slow instance. */
export async function readForm(submission: StoredSubmission): Promise<Explain | undefined> {
  const { client, form, places } = submission;
  submission.form = (await client.getFormSchema(form.uuid, { locale: submission.locale })).data;
  submission.places = new Places(submission.form);
  submission.isOutdated = false;
  if (submission.form.version === form.version) return undefined;
  return (values, stepId) => {
    const removed: FormChange['removed'][number][] = [];
    const retyped: AnswerKey[] = [];
    for (const [key, value] of values) {
      const field = places.of(key)?.field;
      const now = submission.places.of(key)?.field;
      if (field === undefined || value === '') continue;
      if (now === undefined) removed.push({ field, value });
      else if (now.field_type.component !== field.field_type.component) retyped.push(key);
    }
    const { steps } = submission.form;
    const known = new Set(form.steps.flatMap(({ fields }) => fields.map(({ code }) => code)));
    const { states } = submission;
    const added = steps
      .flatMap(({ fields }, index) => (states.steps[index]?.is_visible ? fields : []))
      .filter(
        (field) =>
          !known.has(field.code) && !isText(field) && !isComputed(field) && states.data[field.id]?.visible,
      );
    const upToHere = form.steps.slice(0, form.steps.findIndex(({ id }) => id === stepId) + 1);
    // A step that was deleted falls back to the step before it (S14).
    const kept = upToHere.filter(({ id }) => steps.some((step) => step.id === id)).at(-1);
    return { formChanged: { added, removed, retyped }, stepId: (kept ?? steps[0])?.id };
  };
}
