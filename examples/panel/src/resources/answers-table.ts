import type { ActionRequest } from 'adminjs';
import { Field, File, Form, Respondent, User } from 'formtrail-entities';
import { plainText } from 'formtrail-session/markup';
import { type DataSource, type EntityManager, In } from 'typeorm';
import type {
  AnswersTableJson,
  TableColumn,
  TableForm,
  TableRowJson,
} from '../components/submissions/answers-table-json.js';
import { HttpError } from '../errors.js';
import { addAnswer, type Asked, columnsOf, conditionsOf, idOf } from './answers-filter.js';
import { shownValue } from './answers-of.js';
import { heldBy } from './components-of-fields.js';

const PAGE = 25;
/** Columns of a form that nobody has chosen columns for. */
const FIRST_COLUMNS = 4;
/** A cell shows the beginning of a long text, and the first records of a group. */
const LONGEST = 200;
const MOST_RECORDS = 3;
const MOST_FORMS = 1_000;
const TIMEOUT = '5s';

interface Row {
  readonly uuid: string;
  readonly form_id: number;
  readonly user_id: number;
  readonly status: TableRowJson['status'];
  readonly is_test: boolean;
  readonly held: boolean;
  readonly anonymized_at: Date | null;
  readonly at: Date;
  readonly hidden_values: readonly string[] | null;
}

interface Value {
  readonly submission_uuid: string;
  readonly field_id: number;
  readonly record_key: string;
  readonly value: string;
  readonly is_cut: boolean;
}

/** Returns an action that reads a page of submissions with the answers to some fields. */
export const answersTable = (dataSource: DataSource) => async (request: ActionRequest) => ({
  table: await dataSource
    .transaction('REPEATABLE READ', async (manager) => {
      await manager.query(`set local statement_timeout = '${TIMEOUT}'`);
      return tableOf(manager, (request.query ?? {}) as Asked);
    })
    .catch((error: unknown) => {
      if ((error as { code?: unknown }).code !== '57014') throw error;
      throw new HttpError(
        422,
        `The search took longer than ${TIMEOUT.replace('s', '')} seconds. Choose a form, a status or fewer days, then try again.`,
      );
    }),
});

async function tableOf(manager: EntityManager, asked: Asked): Promise<AnswersTableJson> {
  const conditions = conditionsOf(asked);
  const formId = idOf(asked, 'form');
  const form = formId === undefined ? null : await manager.findOneBy(Form, { id: formId });
  if (formId !== undefined && form === null)
    throw new HttpError(404, 'This form does not exist any more. Choose another one.');
  const all = formId === undefined ? [] : await fieldsOf(manager, formId);
  const chosen = columnsOf(asked);
  const known = new Map(all.map((column) => [column.id, column]));
  const columns = chosen?.flatMap((id) => known.get(id) ?? []) ?? all.slice(0, FIRST_COLUMNS);
  if (formId !== undefined) {
    conditions.add('form_id = ?', formId);
    const fieldId = idOf(asked, 'field');
    const [field] = fieldId === undefined ? [] : await fieldsWithOptions(manager, formId, [fieldId]);
    if (field !== undefined) addAnswer(conditions, field, asked);
  }
  // The unique index on (form_id, uuid), or the primary key, has this order, and version 7 UUIDs sort by time of creation.
  const found = await manager.query<Row[]>(
    `select uuid, form_id, user_id, status, is_test, held, anonymized_at, coalesce(completed_at, updated_at) as at, hidden_values
       from submissions where ${conditions.toString()} order by uuid desc limit ${PAGE + 1}`,
    conditions.parameters,
  );
  const rows = found.slice(0, PAGE);
  const fields =
    formId === undefined
      ? []
      : await fieldsWithOptions(
          manager,
          formId,
          columns.map(({ id }) => id),
        );
  return {
    forms: await manager.find(Form, {
      select: { id: true, name: true },
      order: { name: 'asc' },
      take: MOST_FORMS,
    }),
    form: form && { id: form.id, name: form.name, slug: form.slug, fields: all },
    columns,
    rows: await presented(manager, rows, columns, fields),
    next: found.length > PAGE ? (rows.at(-1)?.uuid ?? null) : null,
  };
}

/** Returns the fields that can have answers. Reads no options, because a form can have 100,000. */
async function fieldsOf(manager: EntityManager, formId: number): Promise<TableForm['fields']> {
  const fields = await manager.find(Field, {
    where: { formId },
    relations: { fieldType: true, step: true },
    order: { step: { stepNumber: 'asc' }, order: 'asc', id: 'asc' },
  });
  const columns = fields
    .filter(({ fieldType }) => heldBy(fieldType.component) !== 'nothing')
    .map(({ id, code, label, isPersonal, retiredAt }): TableColumn => ({
      id,
      label: plainText(label) || code,
      isRetired: retiredAt !== null,
      isPersonal,
    }));
  return [...columns.filter(({ isRetired }) => !isRetired), ...columns.filter(({ isRetired }) => isRetired)];
}

const fieldsWithOptions = (manager: EntityManager, formId: number, ids: readonly number[]) =>
  manager.find(Field, { where: { formId, id: In(ids) }, relations: { fieldType: true, options: true } });

async function presented(
  manager: EntityManager,
  rows: readonly Row[],
  columns: readonly TableColumn[],
  fields: readonly Field[],
): Promise<TableRowJson[]> {
  const uuids = rows.map(({ uuid }) => uuid);
  const userIds = rows.map(({ user_id }) => user_id);
  const users = new Map((await manager.findBy(User, { id: In(userIds) })).map((user) => [user.id, user]));
  const respondents = new Set(
    (await manager.findBy(Respondent, { userId: In(userIds) })).map(({ userId }) => userId),
  );
  const forms = new Map(
    (await manager.findBy(Form, { id: In(rows.map(({ form_id }) => form_id)) })).map(({ id, name }) => [
      id,
      name,
    ]),
  );
  const answers = await answersIn(manager, uuids, fields);
  return rows.map((row) => ({
    uuid: row.uuid,
    reference: referenceOf(row.uuid),
    form: { id: row.form_id, name: forms.get(row.form_id) ?? '' },
    user: {
      id: row.user_id,
      title:
        users.get(row.user_id)?.email ||
        `${respondents.has(row.user_id) ? 'Respondent' : 'User'} ${row.user_id}`,
    },
    status: row.status,
    isTest: row.is_test,
    isHeld: row.held,
    anonymizedAt: row.anonymized_at?.toISOString() ?? null,
    at: row.at.toISOString(),
    answers: columns.map(({ id }) => answers(row, id)),
  }));
}

/** The reference of a submission, as the page after completion shows it. */
export const referenceOf = (uuid: string): string => uuid.slice(-8).toUpperCase().replace(/^..../, '$&-');

/** Reads the answers of a page in one statement. */
async function answersIn(manager: EntityManager, uuids: readonly string[], fields: readonly Field[]) {
  const values =
    uuids.length === 0 || fields.length === 0
      ? []
      : await manager.query<Value[]>(
          `select submission_uuid, field_id, record_key, left(value, ${LONGEST}) as value, length(value) > ${LONGEST} as is_cut
             from (select submission_uuid, field_id, record_key, value,
                          row_number() over (partition by submission_uuid, field_id order by record_key) as number
                     from submission_values where submission_uuid = any ($1) and field_id = any ($2)) numbered
            where number <= ${MOST_RECORDS + 1} order by number`,
          [uuids, fields.map(({ id }) => id)],
        );
  const fieldsById = new Map(fields.map((field) => [field.id, field]));
  const hasFiles = fields.some(({ fieldType }) => fieldType.component === 'file-input');
  const files = hasFiles ? await manager.findBy(File, { submissionUuid: In(uuids) }) : [];
  const names = new Map(
    files.map(({ submissionUuid, uuid, name }) => [`${submissionUuid} file:${uuid}`, name]),
  );
  const byCell = new Map<string, Value[]>();
  for (const value of values) {
    const cell = `${value.submission_uuid} ${value.field_id}`;
    byCell.set(cell, [...(byCell.get(cell) ?? []), value]);
  }
  return ({ uuid, hidden_values }: Row, fieldId: number): string => {
    const ofCell = byCell.get(`${uuid} ${fieldId}`) ?? [];
    const field = fieldsById.get(fieldId);
    const texts = ofCell.slice(0, MOST_RECORDS).map(({ value, record_key, is_cut }) => {
      const shown =
        names.get(`${uuid} ${value}`) ??
        (field === undefined || is_cut
          ? value
          : shownValue({ component: field.fieldType.component, options: field.options }, value));
      const name = record_key === '0' ? String(fieldId) : `${fieldId}.${record_key}`;
      return `${shown}${is_cut ? '…' : ''}${hidden_values?.includes(name) ? ' (hidden)' : ''}`;
    });
    return [...texts, ...(ofCell.length > MOST_RECORDS ? ['…'] : [])].join(' · ');
  };
}
