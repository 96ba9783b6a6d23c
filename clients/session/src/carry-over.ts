import { InvalidError } from 'formtrail-client';
import { type AnswerKey, answerKey } from './answer-key.js';
import type { Answers } from './answers.js';
import { isForFiles } from './components.js';
import type { UnsavedAnswers } from './unsaved-answers.js';

/** Enters the answers and the entries of `before` into a new draft, except files, which belong to their submission. */
export async function carryOver(before: Answers, answers: Answers): Promise<void> {
  const { records, places } = before.submission;
  const newIds = new Map<number | null, number | null>([[null, null]]);
  for (const { id, entity } of records) {
    try {
      // With a key of the entry, because this may be repeated after a lost connection.
      newIds.set(id, await answers.submission.addRecord(entity, `carry-over-${id}`));
    } catch (error) {
      // The form may have changed, and accept fewer entries.
      if (!(error instanceof InvalidError)) throw error;
    }
  }
  if (records.length > 0) await answers.refresh();
  for (const [key, value] of before.values) {
    const { field, recordId = null } = places.of(key) ?? {};
    const newId = newIds.get(recordId);
    if (field !== undefined && newId !== undefined) enter(answerKey(field, newId), value, answers);
  }
  before.clear();
}

/** Enters the answers that the device has kept of another draft. Answers in entries are dropped, because the new draft has none. */
export function carryOverUnsaved(unsaved: UnsavedAnswers, answers: Answers): void {
  for (const key of unsaved.keys) enter(key, unsaved.get(key)?.value ?? '', answers);
  unsaved.clear();
}

function enter(key: AnswerKey, value: string, answers: Answers): void {
  const place = answers.submission.places.of(key);
  const exists =
    place?.recordId === null || answers.submission.records.some(({ id }) => id === place?.recordId);
  if (place && exists && !isForFiles(place.field) && value !== '') answers.change(key, value);
}
