import type { CompiledRules } from '../rules/index.js';
import type { FieldRules } from './field-rules/compile-field-rules.js';
import type { CacheableBody } from '../http/headers/cacheable-body.js';

/** Something that several fields ask about together, once or for each record of it. */
export interface PublishedEntity {
  readonly id: number;
  readonly name: string;
  readonly label: string;
  readonly minRecords: number;
  readonly maxRecords: number;
  /** In schema order. */
  readonly fields: readonly PublishedField[];
}

export interface PublishedField {
  readonly id: number;
  readonly code: string;
  readonly isRepeatable: boolean;
  /** The name of its entity; null: none. */
  readonly entity: string | null;
  readonly component: string;
  /** The values of its options. */
  readonly options: ReadonlySet<string>;
  /** A heading or a paragraph, which holds no value (V8). */
  readonly isDisplayOnly: boolean;
  /** One that holds files, where they are switched on (U1). */
  readonly isFileInput: boolean;
  /** Of its step. */
  readonly stepNumber: number;
  /** U5, of the files of a field that takes them. */
  readonly maxBytes: number;
  readonly accept: string | null;
  /** J1; undefined: none. */
  readonly rules: FieldRules | undefined;
}

/** A whole form as the service needs it between two changes: the answers it is read with, and its rules compiled. */
export interface PublishedForm {
  readonly id: number;
  readonly uuid: string;
  readonly slug: string;
  readonly isActive: boolean;
  /** S13. */
  readonly isCompletionStrict: boolean;
  /** The time zone of `today` in rules of its fields (J2). */
  readonly timeZone: string | null;
  /** In their order; `current_step` is a position among them, from 1 (S8). */
  readonly stepNumbers: readonly number[];
  /** In schema order (F7). */
  readonly fields: readonly PublishedField[];
  readonly fieldsById: ReadonlyMap<number, PublishedField>;
  readonly fieldsByCode: ReadonlyMap<string, PublishedField>;
  readonly entitiesById: ReadonlyMap<number, PublishedEntity>;
  readonly entitiesByName: ReadonlyMap<string, PublishedEntity>;
  /** States in the order of `fields`. */
  readonly rules: CompiledRules;
  readonly formBody: CacheableBody;
  readonly schemaBody: CacheableBody;
}
