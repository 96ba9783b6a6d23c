/**
 * Names what holds one value: a field, or a repeatable field's entry of one entity record. `12`, or `12:7` with the
 * record 7.
 */
export type AnswerKey = `${number}` | `${number}:${number}`;

export function answerKey(fieldId: number, recordId: number | null): AnswerKey {
  return recordId === null ? `${fieldId}` : `${fieldId}:${recordId}`;
}

/** As the service wants it. */
export function namedBy(key: AnswerKey): { field_id: number; entity_record_id?: number } {
  const [fieldId, recordId] = key.split(':');
  return {
    field_id: Number(fieldId),
    ...(recordId !== undefined && { entity_record_id: Number(recordId) }),
  };
}
