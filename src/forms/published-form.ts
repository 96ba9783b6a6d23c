import type { FieldExtension } from './entities/field.js';
import type { FormExtension } from './entities/form.js';
import type { OptionExtension } from './entities/option.js';
import type { CompiledConditions, EngineContainer, Formula } from '../conditions/engine/index.js';
import type { FieldRules } from './field-rules/compile-field-rules.js';
import type { CacheableBody } from '../http/headers/cacheable-body.js';

/** A group of fields, which users fill in once or, if repeatable, once per record. */
export interface PublishedEntity {
  readonly id: number;
  readonly name: string;
  readonly label: string;
  readonly minRecords: number;
  readonly maxRecords: number;
  /** In schema order. */
  readonly fields: readonly PublishedField[];
  readonly container: EngineContainer | undefined;
}

export interface PublishedStep {
  readonly id: number;
  readonly stepNumber: number;
  /** The panel's setting, regardless of conditions (C11). */
  readonly isVisible: boolean;
  readonly container: EngineContainer | undefined;
}

export interface PublishedField {
  readonly id: number;
  readonly code: string;
  readonly isRepeatable: boolean;
  readonly entity: string | null;
  readonly component: string;
  readonly options: ReadonlySet<string>;
  /** The options that exclude all others (J12). */
  readonly exclusiveOptions: ReadonlySet<string>;
  /** A heading or a paragraph, which holds no value (V8). */
  readonly isDisplayOnly: boolean;
  readonly stepNumber: number;
  /** The panel's setting of the field's step. Completion asks for no value on a step that is not visible (C13). */
  readonly isStepVisible: boolean;
  /** The formula of the value (K1). Null: clients store it. */
  readonly computed: Formula | null;
  /** The columns that only capabilities read. */
  readonly extension: FieldExtension;
  /** The columns of options that only capabilities read, of the options that have any. */
  readonly optionExtensions: readonly OptionExtension[];
  readonly rules: FieldRules | undefined;
}

/** A form that is prepared for requests: its response bodies and its compiled rules. Immutable, one per version. */
export interface PublishedForm {
  readonly id: number;
  readonly uuid: string;
  readonly slug: string;
  readonly version: number;
  /** The person who made this version, or null (N7), and the time, in wire format. */
  readonly updatedBy: string | null;
  readonly updatedAt: string;
  readonly isActive: boolean;
  readonly extension: FormExtension;
  /** Whether completion checks values (S13). */
  readonly isCompletionStrict: boolean;
  /** The time zone of `today` in the rules of the form's fields (J2). */
  readonly timeZone: string | null;
  /** Ordered by number. `current_step` is a position in this list, from 1 (S8). */
  readonly steps: readonly PublishedStep[];
  /** In schema order (F7). */
  readonly fields: readonly PublishedField[];
  readonly fieldsById: ReadonlyMap<number, PublishedField>;
  readonly fieldsByCode: ReadonlyMap<string, PublishedField>;
  /** The codes of retired fields, whose stored values stay (N6). */
  readonly retiredCodes: ReadonlyMap<number, string>;
  readonly entitiesById: ReadonlyMap<number, PublishedEntity>;
  readonly entitiesByName: ReadonlyMap<string, PublishedEntity>;
  /** Resolves states in the order of `fields`. */
  readonly rules: CompiledConditions;
  readonly formBody: CacheableBody;
  readonly schemaBody: CacheableBody;
}
