import type { DraftSnapshot } from 'formtrail-session';
import type { FormtrailFormEvents } from './types.js';

type Name = keyof FormtrailFormEvents;
type Detail<Event extends Name> = FormtrailFormEvents[Event]['detail'];

/** Events for the changes between two snapshots. */
export function eventsBetween(before: DraftSnapshot, now: DraftSnapshot): CustomEvent[] {
  const events: CustomEvent[] = [];
  const add = <Event extends Name>(name: Event, detail: Detail<Event>) =>
    events.push(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  const known = before.status === 'open' ? before : undefined;
  if (now.status === 'open') {
    const { submission, form, step, steps } = now;
    if (known?.submission !== submission) add('formtrail-open', { submission, form: form.uuid });
    if (step && (known?.submission !== submission || known.step?.position !== step.position))
      add('formtrail-step', { number: step.number, count: steps.length, title: step.title });
  }
  if (now.status === 'completed' && known && !now.endedElsewhere)
    add('formtrail-complete', { submission: now.submission });
  if (now.status === 'discarded' && known) add('formtrail-gone', { submission: now.submission });
  const old = errorsOf(before);
  for (const error of errorsOf(now)) if (!old.includes(error)) add('formtrail-error', { error });
  return events;
}

function errorsOf(snapshot: DraftSnapshot): unknown[] {
  if (snapshot.status === 'failed') return [snapshot.error];
  if (snapshot.status === 'loading') return [];
  const { failure, saving } = snapshot;
  const errors = [failure, 'error' in saving ? saving.error : undefined];
  return [...new Set(errors.filter((error) => error !== undefined))];
}
