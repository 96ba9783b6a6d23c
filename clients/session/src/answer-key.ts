import type { Field, FormSchema } from 'formtrail-client';
import { isForFiles } from './components.js';

/**
 * Key of one answer, as in the service's field errors: the code of the field, such as `email`. For an entry of a group it is
 * the code, a dot and the id of the record, such as `amount.17`.
 */
export type AnswerKey = string;

/** Key of a group: `group:` and the name of its entity. */
export type GroupKey = `group:${string}`;

/** A field, and the record (entry) that its answer belongs to, or null outside of entries. */
export interface Place {
  readonly field: Field;
  readonly recordId: number | null;
}

export function answerKey({ code }: Field, recordId: number | null): AnswerKey {
  return recordId === null ? code : `${code}.${recordId}`;
}

export function groupKey(entity: string): GroupKey {
  return `group:${entity}`;
}

/** Maps answer keys to fields and records. A code may contain dots, so a key cannot simply be split. */
export class Places {
  /** Whether the form has file fields. */
  readonly haveFiles: boolean;
  private readonly fields: readonly Field[];

  constructor(private readonly form: FormSchema) {
    this.fields = form.steps.flatMap((step) => step.fields);
    this.haveFiles = this.fields.some(isForFiles);
  }

  /** Returns undefined if the form has no such question. */
  of(key: AnswerKey): Place | undefined {
    const [, code = '', id] = /^(.+)\.(\d+)$/s.exec(key) ?? [];
    return this.placeOf(key, null) ?? this.placeOf(code, Number(id));
  }

  /** Key of a stored value. Returns undefined if the form has no such question: another program may have stored the value. */
  keyOf(fieldId: number, recordId: number | null): AnswerKey | undefined {
    const { code = '', is_repeatable } = this.fields.find(({ id }) => id === fieldId) ?? {};
    // A field that is not repeatable has a single value, even if it was stored with a record id (V5).
    const place = this.placeOf(code, is_repeatable ? recordId : null);
    return place && answerKey(place.field, place.recordId);
  }

  /**
   * Key of the answer that a field error of the service is about. Undefined if the form has no such question. The service names a
   * record even for a field that is not repeatable, because it validates the field in each record. The sum of a field in all entries of a
   * group has no question, and belongs to the group.
   */
  keyOfError(name: string): AnswerKey | undefined {
    if (this.of(name) !== undefined) return name;
    const code = name.replace(/\.\d+$/, '');
    const entity = this.fieldOf(name)?.entity;
    return entity ? groupKey(entity) : this.of(code) && code;
  }

  fieldOf(code: unknown): Field | undefined {
    return this.fields.find((one) => one.code === code);
  }

  /** Fields of a group have answers only in records, all other fields only outside of records. */
  private placeOf(code: string, recordId: number | null): Place | undefined {
    const field = this.fieldOf(code);
    if (field === undefined) return undefined;
    const isInEntry = entityOf(field, this.form) !== undefined;
    return isInEntry === (recordId !== null) ? { field, recordId } : undefined;
  }
}

/** Entity in whose entries the field is answered. Undefined for a field that is not repeatable, which has a single answer. */
export function entityOf({ entity, is_repeatable }: Field, { entities }: FormSchema) {
  return is_repeatable && entity !== null ? entities.find(({ name }) => name === entity) : undefined;
}
