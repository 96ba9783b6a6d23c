import type { DraftSnapshot, ShownDraft } from 'formtrail-session';
import type { FormtrailFormEvents } from './types.js';

type Name = keyof FormtrailFormEvents;
type Detail<Event extends Name> = FormtrailFormEvents[Event]['detail'];

/** Events for the changes between two snapshots. A draft that is loaded again during the review still shows the review. */
export function eventsBetween(
  before: DraftSnapshot,
  now: DraftSnapshot,
  isReviewing: boolean,
): CustomEvent[] {
  const events: CustomEvent[] = [];
  const add = <Event extends Name>(name: Event, detail: Detail<Event>) => events.push(eventOf(name, detail));
  const known = before.status === 'open' ? before : undefined;
  if (now.status === 'open') {
    const { submission, form, step, steps } = now;
    const isOther = known?.submission !== submission;
    if (isOther && submission !== undefined) add('formtrail-open', { submission, form: form.uuid });
    // A draft that has just begun stays on its step.
    const isElsewhere = isOther && known?.submission !== undefined;
    const isShownNow = known ? known.isReadOnly || isElsewhere || known.step?.id !== step?.id : !isReviewing;
    // A form that takes no answers shows no step.
    if (step && !now.isReadOnly && isShownNow)
      add('formtrail-step', { number: step.number, count: steps.length, title: step.title });
  }
  const { submission } = now as Partial<ShownDraft>;
  if (known && submission !== undefined) {
    if (now.status === 'completed' && !now.endedElsewhere) add('formtrail-complete', { submission });
    if (now.status === 'discarded') add('formtrail-gone', { submission });
  }
  const old = errorsOf(before);
  for (const error of errorsOf(now)) if (!old.includes(error)) events.push(errorEvent(error));
  return events;
}

export function errorEvent(error: unknown): CustomEvent {
  return eventOf('formtrail-error', { error });
}

/** All answers are shown, or the last step is shown again. */
export function reviewEvent({ steps, step }: ShownDraft, isReviewing: boolean, title: string): CustomEvent {
  const count = steps.length;
  if (isReviewing) return eventOf('formtrail-review', { count, title });
  return eventOf('formtrail-step', { number: step?.number ?? 1, count, title: step?.title ?? '' });
}

function eventOf<Event extends Name>(name: Event, detail: Detail<Event>): CustomEvent {
  return new CustomEvent(name, { detail, bubbles: true, composed: true });
}

function errorsOf(snapshot: DraftSnapshot): unknown[] {
  if (snapshot.status === 'failed') return [snapshot.error];
  if (snapshot.status === 'loading') return [];
  const { failure, saving } = snapshot;
  const errors = [failure, 'error' in saving ? saving.error : undefined];
  return [...new Set(errors.filter((error) => error !== undefined))];
}
