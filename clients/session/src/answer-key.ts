import type { Field, FormSchema } from 'formtrail-client';

/**
 * Names one answer, as the service does in its mistakes: the code of the field, such as `email`, or in an entry of a group
 * that and the id of the record, such as `amount.17`.
 */
export type AnswerKey = string;

/** Names a group, by its entity. */
export type GroupKey = `group:${string}`;

/** A field, and the entry in which it is answered; null outside of entries. */
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

/** The places of answers by their keys: a code may have dots in it, so that a key cannot be taken apart. */
export class Places {
  /** Whether the form asks for files. */
  readonly haveFiles: boolean;
  private readonly byCode: ReadonlyMap<string, Field>;
  private readonly byId: ReadonlyMap<number, Field>;

  constructor(private readonly form: FormSchema) {
    const fields = form.steps.flatMap((step) => step.fields);
    this.byCode = new Map(fields.map((field) => [field.code, field]));
    this.byId = new Map(fields.map((field) => [field.id, field]));
    this.haveFiles = fields.some(({ field_type }) => field_type.component === 'file-input');
  }

  /** Undefined where the form asks for no such answer. */
  of(key: AnswerKey): Place | undefined {
    const alone = this.byCode.get(key);
    if (alone !== undefined) return this.isAsked(alone, null) ? { field: alone, recordId: null } : undefined;
    const [, code = '', id] = /^(.+)\.(\d+)$/s.exec(key) ?? [];
    const field = this.byCode.get(code);
    const recordId = Number(id);
    return field && this.isAsked(field, recordId) ? { field, recordId } : undefined;
  }

  /** Of a stored value; undefined for one that the form does not ask for, which another program may have stored. */
  keyOf(fieldId: number, recordId: number | null): AnswerKey | undefined {
    const field = this.byId.get(fieldId);
    if (field === undefined) return undefined;
    // A field that is not repeatable has one value, whatever record it was stored with (V5).
    const asked = field.is_repeatable ? recordId : null;
    return this.isAsked(field, asked) ? answerKey(field, asked) : undefined;
  }

  /** What a mistake of the service is about: the one value of a field that is not repeatable is judged in each record. */
  keyNamed(name: string): AnswerKey | undefined {
    if (this.of(name) !== undefined) return name;
    const code = name.replace(/\.\d+$/, '');
    return this.of(code) && code;
  }

  private isAsked(field: Field, recordId: number | null): boolean {
    return (entityOf(field, this.form) !== undefined) === (recordId !== null);
  }
}

/** The entity in whose entries the field is answered; one that is not repeatable has one answer, whatever its entity. */
export function entityOf({ entity, is_repeatable }: Field, { entities }: FormSchema) {
  return is_repeatable && entity !== null ? entities.find(({ name }) => name === entity) : undefined;
}
