import type { ActionContext, ActionRequest, BaseRecord, RecordActionResponse } from 'adminjs';
import { Form } from 'formtrail-entities';
import { type DataSource, type EntityManager, QueryFailedError } from 'typeorm';
import { asSignedIn } from '../adapter/as-signed-in.js';
import { languageName, localeOf, NOT_A_LANGUAGE } from '../components/languages.js';
import type { Change, TranslationsJson } from '../components/translations/translations-json.js';
import { HttpError } from '../errors.js';
import { progressOf, sourceTexts, textGroups } from './translated-texts.js';

type Payload = Readonly<Record<string, unknown>>;

const MAX_LENGTH = 255;

/** The actions of a form that read, save and remove its translations. */
export function translationActions(dataSource: DataSource) {
  const writing =
    (write: (manager: EntityManager, formId: number, payload: Payload) => Promise<string>) =>
    async (request: ActionRequest, context: ActionContext): Promise<Partial<RecordActionResponse>> => {
      const { id } = (context.record as BaseRecord).params as Form;
      const message = await asSignedIn(dataSource, context, (manager) =>
        write(manager, id, request.payload ?? {}),
      ).catch((error: unknown) => {
        throw explained(error);
      });
      return { notice: { message, type: 'success' } };
    };
  const save = writing(saveTranslations);
  const remove = writing(removeLanguage);

  const handler =
    (write: typeof save) => async (request: ActionRequest, _: unknown, context: ActionContext) => {
      const record = context.record as BaseRecord;
      const shown = { record: record.toJSON(context.currentAdmin) };
      if (request.method === 'post') return { ...shown, ...(await write(request, context)) };
      const { locale } = (request.query ?? {}) as { readonly locale?: unknown };
      return { ...shown, translations: await read(dataSource, Number(record.id()), locale) };
    };
  return { translations: handler(save), removeLanguage: handler(remove) };
}

/** Reads one snapshot, so that the counts fit the texts. */
function read(dataSource: DataSource, formId: number, asked: unknown): Promise<TranslationsJson> {
  return dataSource.transaction('REPEATABLE READ', async (manager) => {
    const { locale: own } = await manager.findOneByOrFail(Form, { id: formId });
    const locale = asked === undefined ? null : localeIn({ locale: asked });
    if (locale !== null && locale === own) throw new HttpError(422, isOwn(own));
    return {
      ...(await progressOf(manager, formId)),
      own,
      chosen: locale === null ? null : { locale, groups: await textGroups(manager, formId, locale) },
    };
  });
}

/** Saves all changes in one transaction, so that they are one version of the form. An empty text deletes the translation. */
async function saveTranslations(manager: EntityManager, formId: number, payload: Payload): Promise<string> {
  const locale = localeIn(payload);
  const changes = changesIn(payload);
  // Locked, so that no text is deleted meanwhile.
  await manager.findOneOrFail(Form, { where: { id: formId }, lock: { mode: 'pessimistic_write' } });
  const texts = new Map((await sourceTexts(manager, formId)).map((text) => [nameOf(text), text]));
  const rows = changes.map(({ owner, key, text }) => {
    const source = texts.get(nameOf({ owner, key }));
    if (source === undefined)
      throw new HttpError(
        409,
        'Nothing is saved: a text that you have translated is no longer in the form. Copy your translations, and reload the page.',
      );
    const length = Array.from(text).length;
    if (['name', 'title'].includes(key) && length > MAX_LENGTH)
      throw new HttpError(
        422,
        `Nothing is saved: the translation of “${source.source}” has ${length} characters. Shorten it to ${MAX_LENGTH}.`,
      );
    const owned = source.kind === 'form' ? {} : { [`${source.kind}_id`]: source.id };
    return { ...owned, owner, key, text };
  });
  const [kept, emptied] = [rows.filter(({ text }) => text !== ''), rows.filter(({ text }) => text === '')];
  await manager.query(
    `delete from translations using json_to_recordset($3) as emptied(owner text, key text)
      where form_id = $1 and locale = $2 and translations.owner = emptied.owner and translations.key = emptied.key`,
    [formId, locale, JSON.stringify(emptied)],
  );
  await manager.query(
    `insert into translations (form_id, locale, step_id, field_id, option_id, entity_id, rule_id, key, text)
     select $1, $2, step_id, field_id, option_id, entity_id, rule_id, key, text from json_populate_recordset(null::translations, $3)
         on conflict (form_id, locale, owner, key) do update set text = excluded.text`,
    [formId, locale, JSON.stringify(kept)],
  );
  return `Saved ${rows.length} text${rows.length === 1 ? '' : 's'} in ${languageName(locale)}.`;
}

async function removeLanguage(manager: EntityManager, formId: number, payload: Payload): Promise<string> {
  const locale = localeIn(payload);
  await manager.query('delete from translations where form_id = $1 and locale = $2', [formId, locale]);
  return `${languageName(locale)} is removed.`;
}

const nameOf = ({ owner, key }: Pick<Change, 'owner' | 'key'>) => `${owner} ${key}`;

function localeIn({ locale }: Payload): string {
  const found = typeof locale === 'string' ? localeOf(locale) : undefined;
  if (found === undefined) throw new HttpError(422, NOT_A_LANGUAGE);
  return found;
}

function changesIn({ changes }: Payload): Change[] {
  const isChange = (change: unknown): change is Change => {
    const { owner, key, text } = (change ?? {}) as Partial<Record<keyof Change, unknown>>;
    return [owner, key, text].every((part) => typeof part === 'string');
  };
  if (!Array.isArray(changes) || !changes.every(isChange))
    throw new HttpError(400, 'Send the changes: the owner, the key and the text of each.');
  // The last change of a text counts, because a statement can write a row only once.
  const last = new Map(changes.map((change) => [nameOf(change), change]));
  return [...last.values()].map((change) => ({ ...change, text: change.text.trim() }));
}

const isOwn = (locale: string) =>
  `The texts of the form are in ${languageName(locale)} already. Change them on the page of the form, or choose another language.`;

/** The database says in sentences which translations it refuses, and what to do. */
function explained(error: unknown): unknown {
  if (!(error instanceof QueryFailedError)) return error;
  const { constraint, hint } = error.driverError as { constraint?: string; hint?: string };
  if (constraint === 'translations_locale_check') return new HttpError(422, NOT_A_LANGUAGE);
  if (!/^translations_(not_own_locale|locales)_check$/.test(constraint ?? '')) return error;
  return new HttpError(422, `${error.message} ${hint}`);
}
