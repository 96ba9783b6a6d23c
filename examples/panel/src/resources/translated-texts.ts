import { TRANSLATED_KEYS } from 'formtrail-entities';
import { plainText } from 'formtrail-session/markup';
import type { EntityManager } from 'typeorm';
import type {
  ProgressJson,
  TextGroup,
  TranslatedText,
} from '../components/translations/translations-json.js';

type Kind = keyof typeof TRANSLATED_KEYS;

interface Rows {
  readonly table: string;
  /** The tables from which the rows of the form $1 come, and which of them. */
  readonly from: string;
  /** SQL of the numbers by which the texts are sorted. */
  readonly place: string;
  readonly step?: string;
  readonly about?: string;
}

const OF_FORM = 'steps on steps.id = step_id where fields.form_id = $1 and retired_at is null';
const OF_FIELD = { step: 'steps.id', about: `coalesce(nullif(fields.label, ''), fields.code)` };
const PLACE = 'step_number, 1, fields."order", fields.id';

/** The parts of a form that have texts. */
const PARTS: Readonly<Record<Kind, Rows>> = {
  form: { table: 'forms', from: 'forms where id = $1', place: '0' },
  step: {
    ...{ table: 'steps', from: 'steps where form_id = $1', step: 'steps.id' },
    place: '1, step_number, 0',
  },
  field: { table: 'fields', from: `fields join ${OF_FORM}`, place: `1, ${PLACE}, 0`, ...OF_FIELD },
  option: {
    ...{ table: 'options', from: `options join fields on fields.id = field_id join ${OF_FORM}` },
    ...{ place: `1, ${PLACE}, 1, options."order", options.id`, ...OF_FIELD },
  },
  rule: {
    ...{ table: 'field_rules', from: `field_rules join fields on fields.id = field_id join ${OF_FORM}` },
    ...{ place: `1, ${PLACE}, 2, field_rules.id`, ...OF_FIELD },
  },
  entity: { table: 'entities', from: 'entities where form_id = $1', place: '2, id' },
};

function textsOf([kind, { table, from, place, step = 'null::integer', about = `''` }]: [
  string,
  Rows,
]): string {
  const texts = TRANSLATED_KEYS[kind as Kind].map((key, at) => `(${at}, '${key}', ${table}.${key}::text)`);
  const [tables, conditions] = from.split(' where ');
  return `
    select '${kind}' as kind, ${table}.id, ${step} as step, ${about} as about, text.key, source, array[${place}, text.place] as place
      from ${tables} cross join lateral (values ${texts.join(', ')}) as text(place, key, source) where ${conditions}`;
}

/** SQL: the texts of the form $1 that can be translated. Leaves out those of retired fields, and empty ones. */
const TEXTS = `
  select texts.*, case kind when 'form' then kind else kind || ' ' || id end as owner
    from (${Object.entries(PARTS).map(textsOf).join(' union all ')}) texts where source <> ''`;

/** A text of a form that can be translated. */
export interface SourceText extends Pick<TranslatedText, 'owner' | 'key' | 'source'> {
  readonly kind: Kind;
  readonly id: number;
}

export const sourceTexts = (manager: EntityManager, formId: number): Promise<SourceText[]> =>
  manager.query<SourceText[]>(TEXTS, [formId]);

/** Counts what is translated into each language of the form. */
export async function progressOf(manager: EntityManager, formId: number): Promise<ProgressJson> {
  const [progress] = await manager.query<[ProgressJson]>(
    `with texts as (${TEXTS}), languages as (
       select locale, count(texts.key) as translated from translations left join texts using (owner, key)
        where form_id = $1 group by locale)
     select (select count(*)::integer from texts) as total,
            (select coalesce(json_agg(languages order by locale collate "C"), '[]') from languages) as languages`,
    [formId],
  );
  return progress;
}

interface Row extends SourceText {
  readonly step: number | null;
  readonly about: string;
  readonly translation: string;
}

/** Returns the texts of a form with their translations, in reading order. */
export async function textGroups(
  manager: EntityManager,
  formId: number,
  locale: string,
): Promise<TextGroup[]> {
  const rows = await manager.query<Row[]>(
    `select texts.*, coalesce(text, '') as translation
       from (${TEXTS}) texts left join translations
         on form_id = $1 and locale = $2 and translations.owner = texts.owner and translations.key = texts.key
      order by place`,
    [formId, locale],
  );
  const steps = await manager.query<{ id: number; title: string }[]>(
    'select id, title from steps where form_id = $1',
    [formId],
  );
  const titles = new Map(steps.map(({ id, title }) => [id, title]));
  const groups = new Map<string, { title: string; texts: TranslatedText[] }>();
  for (const row of rows) {
    const { kind, step, owner, key, source, translation } = row;
    const title = step === null ? (kind === 'form' ? 'Form' : 'Repeating groups') : titles.get(step);
    const name = `${kind === 'entity'} ${step}`;
    const group = groups.get(name) ?? { title: title ?? '', texts: [] };
    groups.set(name, group);
    group.texts.push({ owner, key, source, translation, caption: captionOf(row) });
  }
  return [...groups.values()];
}

const KEY_WORDS: Readonly<Record<string, string>> = {
  ...{ name: 'Name', title: 'Title', description: 'Description', label: 'Label', placeholder: 'Placeholder' },
};

function captionOf({ kind, key, about }: Row): string {
  if (kind === 'entity') return 'Label of a group';
  if (kind === 'field' && key === 'label') return 'Question';
  const what = kind === 'option' ? 'Option' : kind === 'rule' ? 'Message' : KEY_WORDS[key];
  return about === '' ? `${what}` : `${what} of “${plainText(about)}”`;
}
