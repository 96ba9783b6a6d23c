import type { FormExtension } from '../../forms/entities/form.js';
import type { OptionResponse } from '../../forms/dto/form-schema.response.js';
import type { Formula } from '../../conditions/engine/index.js';
import { namedParts, type Translations } from '../../forms/named-texts.js';
import type { ConditionRow, EntityRow, FieldRow, WholeFormRow } from '../../forms/form.statements.js';

/** A form definition with all defaults filled in. It has the shape of the schema response, with names instead of ids. */
export interface FormDefinition
  extends
    Pick<WholeFormRow, 'name' | 'slug' | 'description' | 'is_active' | 'completion'>,
    Pick<FormExtension, 'access'>,
    Keeping,
    TranslatedPart {
  /** The URL of the JSON Schema, for editors. Not stored. */
  readonly $schema?: string;
  /** If omitted, a new form gets a UUID, and an existing form keeps its own. */
  readonly uuid?: string;
  /** If omitted, respondents need no proof of work (P7). */
  readonly proof_of_work?: number;
  /** If omitted, the form is open at all times (D1). */
  readonly opens_at?: string | null;
  readonly closes_at?: string | null;
  /** If omitted, drafts continue after the form has closed (D3). */
  readonly closes_drafts?: boolean;
  /** If omitted, there is no limit (D4, D5). */
  readonly max_submissions?: number | null;
  readonly max_per_user?: number | null;
  /** The language of the texts. If omitted, it is not said (L1). */
  readonly locale?: string;
  /** If omitted, the form has no time zone (J2). */
  readonly time_zone?: string;
  readonly entities: readonly DefinedEntity[];
  readonly steps: readonly DefinedStep[];
}

/** The keys of a form that say for how many days its submissions and their personal answers are kept (T1, T4). */
export const KEEPING_KEYS = ['keep_completed_days', 'keep_drafts_days', 'keep_personal_days'] as const;

/** If a key is omitted, they are kept for ever. */
export type Keeping = { readonly [Key in (typeof KEEPING_KEYS)[number]]?: number | null };

interface TranslatedPart {
  /** The texts of the part in further languages. If omitted, there are none (L1). */
  readonly translations?: Translations;
}

export interface DefinedEntity extends Pick<EntityRow, 'name' | 'label' | 'is_repeatable'>, TranslatedPart {
  readonly min_records?: number;
  readonly max_records?: number;
  readonly conditions: readonly DefinedCondition[];
}

export interface DefinedStep extends Omit<WholeFormRow['steps'][number], 'id'>, TranslatedPart {
  readonly conditions: readonly DefinedCondition[];
  readonly fields: readonly DefinedField[];
}

export interface DefinedField
  extends
    Omit<
      FieldRow,
      | 'id'
      | 'step_id'
      | 'entity'
      | 'computed'
      | 'max_bytes'
      | 'accept'
      | 'meta'
      | 'retired'
      | 'options'
      | 'rules'
    >,
    TranslatedPart {
  /** If omitted, people fill in the field (K1). */
  readonly computed?: Formula;
  readonly max_bytes?: number;
  readonly accept?: string;
  /** For clients, for example the `autocomplete` of an input in HTML. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /** Whether the answers are personal data (T4). */
  readonly is_personal?: boolean;
  /** Whether the field is taken out of the form. Its stored values stay (N6). */
  readonly retired?: boolean;
  readonly entity?: string;
  readonly options: readonly DefinedOption[];
  readonly rules: readonly DefinedRule[];
  readonly conditions: readonly DefinedCondition[];
}

/** A rule has a value or another field (J9). */
export interface DefinedRule extends Pick<FieldRow['rules'][number], 'kind' | 'message'>, TranslatedPart {
  readonly value?: string;
  /** The code of the field that the rule compares with. */
  readonly other_field?: string;
  readonly offset_days?: number;
}

export interface DefinedOption extends Omit<OptionResponse, 'is_exclusive'>, TranslatedPart {
  /** If omitted, other choices can stand beside it (J12). */
  readonly is_exclusive?: boolean;
  /** If omitted, any number of submissions can hold it (D6). */
  readonly places?: number | null;
}

export interface DefinedCondition extends Pick<
  ConditionRow,
  'depends_on_field_code' | 'operator' | 'value' | 'action'
> {
  /** The code of the field that the condition compares with, instead of `value` (C17). */
  readonly value_field?: string;
  readonly group?: number;
}

export interface LocatedField {
  readonly field: DefinedField;
  /** For example `steps[1].fields[3]`. */
  readonly path: string;
}

export function fieldsOf({ steps }: FormDefinition): LocatedField[] {
  return steps.flatMap(({ fields }, step) =>
    fields.map((field, index) => ({ field, path: `steps[${step}].fields[${index}]` })),
  );
}

/** The language of a form, and those of its translations. */
export function localesOf(form: FormDefinition): Set<string> {
  const locales = new Set(form.locale === undefined ? [] : [form.locale]);
  for (const { part } of namedParts(form))
    for (const tag of Object.keys(part.translations ?? {})) locales.add(tag);
  return locales;
}
