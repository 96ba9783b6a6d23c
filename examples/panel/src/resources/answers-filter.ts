import type { Field } from 'formtrail-entities';
import { plainText } from 'formtrail-session/markup';
import { HttpError } from '../errors.js';
import { heldBy } from './components-of-fields.js';

/** The parameters of a page of submissions, as texts. */
export type Asked = Readonly<Partial<Record<string, unknown>>>;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const REFERENCE = /^([0-9a-f]{4})[- ]?([0-9a-f]{4})$/i;
/** A page reads the answers of all its columns. */
const MOST_COLUMNS = 20;

/** An SQL condition on the table of submissions, with its parameters. */
export class Conditions {
  readonly parameters: unknown[] = [];
  private readonly texts: string[] = [];

  /** Adds a condition, in which `?` is the parameter. */
  add(text: string, ...parameters: unknown[]): this {
    let index = this.parameters.length;
    this.texts.push(text.replace(/\?/g, () => `$${(index += 1)}`));
    this.parameters.push(...parameters);
    return this;
  }

  toString(): string {
    return this.texts.join(' and ') || 'true';
  }
}

export const textOf = (asked: Asked, name: string): string => {
  const given = asked[name] ?? '';
  if (typeof given === 'string') return given.trim();
  throw new HttpError(400, `Send "${name}" once.`);
};

export const idOf = (asked: Asked, name: string): number | undefined => {
  const text = textOf(asked, name);
  if (text === '') return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new HttpError(400, `"${name}" has to be the number of a row.`);
};

export function columnsOf(asked: Asked): number[] | undefined {
  const text = textOf(asked, 'columns');
  if (text === '') return undefined;
  const ids = text.split(',').map(Number);
  if (ids.every((id) => Number.isInteger(id) && id > 0 && id < 2 ** 31)) return ids.slice(0, MOST_COLUMNS);
  throw new HttpError(400, 'Name the columns by the numbers of their fields, such as 1,2.');
}

export function momentOf(asked: Asked, name: string): string | undefined {
  const text = textOf(asked, name);
  if (text === '') return undefined;
  const moment = new Date(text);
  if (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(moment.getTime())) return moment.toISOString();
  throw new HttpError(400, `"${text}" is not a valid day. Use a date such as 2026-11-21.`);
}

export function statusOf(asked: Asked): 'draft' | 'completed' | undefined {
  const status = textOf(asked, 'status');
  if (status === '') return undefined;
  if (status === 'draft' || status === 'completed') return status;
  throw new HttpError(400, 'The status has to be draft or completed.');
}

/** The conditions that need no form. */
export function conditionsOf(asked: Asked): Conditions {
  const conditions = new Conditions().add(textOf(asked, 'tests') === 'true' ? 'is_test' : 'not is_test');
  if (textOf(asked, 'held') === 'true')
    conditions.add('uuid in (select submission_uuid from held_submissions)');
  const status = statusOf(asked);
  if (status) conditions.add('status = ?', status);
  const [from, to] = [momentOf(asked, 'from'), momentOf(asked, 'to')];
  if (from) conditions.add('coalesce(completed_at, updated_at) >= ?', from);
  if (to) conditions.add('coalesce(completed_at, updated_at) < ?', to);
  const person = textOf(asked, 'person');
  if (person) conditions.add('user_id in (select id from users where email ilike ?)', containing(person));
  const reference = textOf(asked, 'reference');
  if (reference !== '') addReference(conditions, reference);
  const before = textOf(asked, 'before');
  if (before !== '') {
    if (!UUID.test(before)) throw new HttpError(400, '"before" has to be the UUID of a submission.');
    conditions.add('uuid < ?', before);
  }
  return conditions;
}

function addReference(conditions: Conditions, text: string): void {
  const [, first, last] = REFERENCE.exec(text) ?? [];
  if (first !== undefined) {
    // Reads all rows that the other filters leave, because an index would slow down every new submission.
    conditions.add('right(uuid::text, 8) = ?', `${first}${last}`.toLowerCase());
  } else if (UUID.test(text)) conditions.add('uuid = ?', text);
  else throw new HttpError(400, 'A reference has eight letters and digits, such as 2FA8-2584.');
}

/** The pattern of ILIKE for texts that contain this one. */
const containing = (text: string) => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

type AskedField = Pick<Field, 'id' | 'options' | 'fieldType'>;

/** Adds a condition on the answer to a field. A person types what the table shows: the label of an option, Yes, No, or the name of a file. */
export function addAnswer(
  conditions: Conditions,
  { id, options, fieldType }: AskedField,
  asked: Asked,
): void {
  const text = textOf(asked, 'answer');
  if (text === '') return;
  const isExact = textOf(asked, 'match') === 'equals';
  const compared = isExact ? 'lower(value) = lower(?)' : 'value ilike ?';
  const texts = [compared];
  const parameters: unknown[] = [isExact ? text : containing(text)];
  const wanted = text.toLowerCase();
  const held = heldBy(fieldType.component);
  const chosen = options.filter((option) => {
    const label = plainText(option.label).toLowerCase();
    return isExact ? label === wanted : label.includes(wanted);
  });
  if (chosen.length > 0 && held === 'options') {
    texts.push('value ~ ?');
    const values = chosen.map(({ value }) => value.replace(/[^\w\s]/g, '\\$&'));
    parameters.push(`(^|,)\\s*(${values.join('|')})\\s*(,|$)`);
  } else if (chosen.length > 0) {
    texts.push('value = any (?)');
    parameters.push(chosen.map(({ value }) => value));
  }
  if (held === 'options' && options.length === 0 && (wanted === 'yes' || wanted === 'no')) {
    texts.push('value ~* ?');
    parameters.push(wanted === 'yes' ? '^(true|yes|on|1)$' : '^(false|no|off|0)$');
  }
  if (fieldType.component === 'file-input') {
    const name = isExact ? 'lower(name) = lower(?)' : 'name ilike ?';
    texts.push(`exists (select from files where files.submission_uuid = submissions.uuid
      and value = 'file:' || files.uuid and ${name})`);
    parameters.push(isExact ? text : containing(text));
  }
  conditions.add(
    `exists (select from submission_values where submission_uuid = submissions.uuid and field_id = ?
       and (${texts.join(' or ')}))`,
    ...[id, ...parameters],
  );
}
