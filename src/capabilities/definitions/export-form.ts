import type { DataSource, EntityManager } from 'typeorm';
import type { Formula } from '../../conditions/engine/index.js';
import { FIND_FORM_BY_SLUG, type WholeFormRow, type WholeFormText } from '../../forms/form.statements.js';
import { parseForm } from '../../forms/parse-form.js';
import type { ConditionResponse, ExtendedSchema } from '../../forms/dto/form-schema.response.js';
import { presentSchema } from '../../forms/form.presenter.js';
import { nameOfRule, type PartName, type Translations, wordOf } from '../../forms/named-texts.js';
import { FIND_TRANSLATIONS, type NamedTranslation } from '../../forms/translation.statements.js';
import { FORM_DEFINITION } from './definition-schema.js';
import { type DefinedCondition, type FormDefinition, type Keeping, KEEPING_KEYS } from './form-definition.js';

/** Exports a form with its UUID, so that importing it again changes nothing. Returns undefined if no form has the slug. */
export async function exportForm(dataSource: DataSource, slug: string): Promise<FormDefinition | undefined> {
  const stored = await findForm(dataSource.manager, slug);
  return stored && { $schema: FORM_DEFINITION.$id, ...stored.definition };
}

export interface StoredForm {
  readonly id: number;
  readonly definition: FormDefinition & { readonly uuid: string };
  /** The ids of the steps, in the order of the definition. */
  readonly stepIds: readonly number[];
}

export async function findForm(manager: EntityManager, slug: string): Promise<StoredForm | undefined> {
  const [found] = await manager.query<WholeFormText[]>(FIND_FORM_BY_SLUG.text, [slug]);
  if (found === undefined) return undefined;
  const row = await parseForm(found);
  const schema = presentSchema(row);
  const { locale, locales } = row.extension;
  const isTranslated = locales.length > (locale === null ? 0 : 1);
  const translations = isTranslated
    ? await manager.query<NamedTranslation[]>(FIND_TRANSLATIONS, [row.id])
    : [];
  return {
    id: row.id,
    definition: toDefinition(schema, await findUnpublished(manager, row), byPart(translations)),
    stepIds: schema.steps.map(({ id }) => id),
  };
}

/** What a definition has, but no response. */
interface Unpublished {
  readonly keeping: Keeping;
  /** The ids of fields. */
  readonly personal: ReadonlySet<number>;
  readonly retired: ReadonlySet<number>;
}

const FIND_KEEPING = `
  select ${KEEPING_KEYS.join()}, array(select id from fields where form_id = forms.id and is_personal) as personal
    from forms where id = $1`;

async function findUnpublished(
  manager: EntityManager,
  { id, fields }: Pick<WholeFormRow, 'id' | 'fields'>,
): Promise<Unpublished> {
  type Found = Readonly<Record<keyof Keeping, number | null>> & { readonly personal: readonly number[] };
  const [found] = await manager.query<Found[]>(FIND_KEEPING, [id]);
  // Undefined if another transaction has just deleted the form.
  const { personal = [], ...keeping }: Partial<Found> = found ?? {};
  return {
    keeping: withoutNulls(keeping, KEEPING_KEYS),
    personal: new Set(personal),
    retired: new Set(fields.filter(({ retired }) => retired).map(({ id }) => id)),
  };
}

const ALL_PUBLISHED: Unpublished = { keeping: {}, personal: new Set(), retired: new Set() };

/** Returns a function that finds the translations of a part. */
function byPart(rows: readonly NamedTranslation[]) {
  const parts = new Map<string, Record<string, Record<string, string>>>();
  for (const { locale, key, text, ...name } of rows) {
    const word = wordOf(name);
    const translations = parts.get(word) ?? {};
    parts.set(word, translations);
    (translations[locale] ??= {})[key] = text;
  }
  return (name: PartName): { translations?: Translations } => {
    const translations = parts.get(wordOf(name));
    return translations === undefined ? {} : { translations };
  };
}

/** Converts a schema response, which has one language. A response that was kept long ago lacks some keys. */
export function toDefinition(
  { version: _, locales: __, closes_drafts, steps, entities, ...columns }: ExtendedSchema,
  { keeping, personal, retired }: Unpublished = ALL_PUBLISHED,
  translated: ReturnType<typeof byPart> = () => ({}),
): StoredForm['definition'] {
  return {
    ...withoutNulls(columns, [
      'proof_of_work',
      'opens_at',
      'closes_at',
      'max_submissions',
      'max_per_user',
      'locale',
      'time_zone',
    ]),
    ...translated({}),
    ...(closes_drafts && { closes_drafts }),
    ...keeping,
    entities: entities.map(({ min_records, max_records, conditions, ...entity }) => ({
      ...entity,
      ...translated({ entity: entity.name }),
      ...(min_records !== null && { min_records }),
      ...(max_records !== null && { max_records }),
      conditions: conditions.map(toDefinedCondition),
    })),
    steps: steps.map(({ id: _, meta, fields, conditions, ...step }) => ({
      ...step,
      ...translated({ step_number: step.step_number }),
      meta: asExported(meta),
      conditions: conditions.map(toDefinedCondition),
      fields: fields.map(
        ({ id, entity, max_bytes, accept, computed, meta, options, conditions, rules, ...field }) => ({
          ...field,
          ...translated({ code: field.code }),
          ...(computed && { computed: asWritten(computed) }),
          ...(max_bytes !== null && { max_bytes }),
          ...(accept !== null && { accept }),
          ...(meta !== null && { meta: asExported(meta) }),
          ...(entity !== null && { entity }),
          ...(personal.has(id) && { is_personal: true }),
          ...(retired.has(id) && { retired: true }),
          options: options.map(({ is_exclusive, ...option }) => ({
            ...withoutNulls(option, ['places']),
            ...(is_exclusive && { is_exclusive }),
            ...translated({ code: field.code, option: option.value }),
          })),
          conditions: conditions.map(toDefinedCondition),
          rules: rules.map(({ kind, value, other_field_code, offset_days, message }) => ({
            kind,
            ...(value !== null && { value }),
            ...(other_field_code && { other_field: other_field_code }),
            ...(typeof offset_days === 'number' && { offset_days }),
            message,
            ...translated({ code: field.code, rule: nameOfRule({ kind, other_field_code }) }),
          })),
        }),
      ),
    })),
  };
}

/** Returns the formula with `op` first, as people read it. PostgreSQL sorts the keys of a jsonb. */
const asWritten = ({ op, of, ...rest }: Formula): Formula => ({
  op,
  of: of.map((operand) => (typeof operand !== 'string' && 'op' in operand ? asWritten(operand) : operand)),
  ...rest,
});

/** Leaves out the properties with these names that are null. */
function withoutNulls<T extends object, Name extends keyof T>(
  object: T,
  names: readonly Name[],
): Omit<T, Name> & { [Optional in Name]?: NonNullable<T[Optional]> } {
  const kept = Object.entries(object).filter(
    ([name, value]) => value !== null || !names.includes(name as Name),
  );
  return Object.fromEntries(kept) as ReturnType<typeof withoutNulls<T, Name>>;
}

function toDefinedCondition({
  depends_on_field_id: _,
  value_field_code,
  group,
  ...condition
}: ConditionResponse): DefinedCondition {
  return {
    ...condition,
    ...(value_field_code && { value_field: value_field_code }),
    ...(group !== null && { group }),
  };
}

/** Returns the value as JSON can represent it. Numbers of a jsonb that are beyond the range of a double become null. */
const asExported = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
