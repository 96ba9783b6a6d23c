/**
 * Names what holds one value: a field, or a repeatable field's answer in one entry of its group. `12`, or `12:7` with
 * the record 7.
 */
export type AnswerKey = `${number}` | `${number}:${number}`;

/** Names a group of entries, by its entity. */
export type GroupKey = `group:${string}`;

/** What a message can be about. */
export type PlaceKey = AnswerKey | GroupKey;

export function answerKey(fieldId: number, recordId: number | null): AnswerKey {
  return recordId === null ? `${fieldId}` : `${fieldId}:${recordId}`;
}

export function groupKey(entity: string): GroupKey {
  return `group:${entity}`;
}

/** The record in whose entry the answer is. */
export function recordIdOf(key: PlaceKey): number | undefined {
  const recordId = /^\d+:(\d+)$/.exec(key)?.[1];
  return recordId === undefined ? undefined : Number(recordId);
}

/** As the service wants it. */
export function namedBy(key: AnswerKey): { field_id: number; entity_record_id?: number } {
  const recordId = recordIdOf(key);
  return {
    field_id: Number.parseInt(key),
    ...(recordId !== undefined && { entity_record_id: recordId }),
  };
}
