// A chunk of its own, loaded with the first answer: looking at a form begins nothing.
import type { FormSchema, FormtrailClient } from 'formtrail-client';
import { type DraftOptions, newestDraft } from './opening.js';
import { SerialQueue } from './serial-queue.js';
import type { StoredSubmission } from './stored-submission.js';
import { type DraftStorage, tryStorage } from './unsaved-answers.js';

const queues = new Map<string, SerialQueue>();

/** Name of the device storage item for a form of a service. */
export function itemOf({ options: { url = '' } }: FormtrailClient, { uuid }: FormSchema): string {
  return `formtrail:${url.replace(/\/$/, '')}:${uuid}`;
}

/**
 * Runs one task of this name at a time: in all tabs of the browser, or in this page if the browser has no locks, as on pages without
 * HTTPS.
 */
export function exclusively<Result>(name: string, task: () => Promise<Result>): Promise<Result> {
  const queue = queues.get(name) ?? new SerialQueue();
  queues.set(name, queue);
  return queue.run(async () => {
    const lock = { isHeld: false };
    try {
      return await navigator.locks.request(name, () => {
        lock.isHeld = true;
        return task();
      });
    } catch (error) {
      if (lock.isHeld) throw error;
      // There are no locks here, or the page is in a sandbox that forbids them.
      return await task();
    }
  });
}

/**
 * Begins the submission. If another tab or element of this browser has begun a draft of the form meanwhile, continues that one, unless
 * the page asks for a new one. `become` makes a visitor a respondent first. `key` is the idempotency key, if the device has none.
 */
export function beginSubmission(
  submission: StoredSubmission,
  key: string,
  become: () => Promise<DraftOptions>,
): Promise<void> {
  const { form } = submission;
  // The service rejects a key that was used for another request.
  const begin = (used: string) => submission.begin(`${used}${submission.locale ?? ''}`);
  return exclusively(itemOf(submission.client, form), async () => {
    const options = await become();
    const { client, storage } = options;
    if (options.submission === null) return begin(key);
    const newest = await newestDraft(client, form.uuid);
    if (newest !== undefined) {
      submission.goOnAs(newest);
      return;
    }
    const name = `${itemOf(client, form)}:begin`;
    const use = <Result>(action: (items: DraftStorage) => Result) =>
      tryStorage(() => storage ?? globalThis.localStorage, action);
    // Stored before it is used, so that a reload repeats this request instead of creating a second draft.
    const kept = use((items) => items.getItem(name)) ?? key;
    use((items) => items.setItem(name, kept));
    await begin(kept);
    use((items) => items.removeItem(name));
  });
}
