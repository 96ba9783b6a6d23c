import type { EntityManager } from 'typeorm';
import { counted } from '../../../cli/output.js';
import { printable } from '../../../process/printable.js';
import type { Person } from '../../../server/hooks.js';

/** The submissions of an account that have an address in a field. */
export interface AnswersWithAddress {
  readonly form: string;
  readonly field: string;
  /** In lower case, without white space at the ends. */
  readonly address: string;
  readonly submissions: number;
}

export interface AccountInAnswers extends Person {
  readonly answers: readonly AnswersWithAddress[];
}

interface Found extends AnswersWithAddress, Person {
  readonly field_id: number;
}

/** White space in JavaScript, which validation ignores at the ends of an answer. */
const WHITE_SPACE =
  '\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';

const normal = (text: string) => `lower(btrim(${text}, $1))`;

const NORMALIZE = `select array_agg(${normal('address')}) as addresses from unnest($2::text[]) as address`;

const FIND_FIELDS = `
  select fields.id, fields.code as field, slug as form
    from fields join field_types on field_types.id = field_type_id join forms on forms.id = form_id
   where component = 'email-input'`;

/** Rows per page. A search of a page reads all answers of the fields. */
const PAGE = 1_000;

const FIND_ANSWERS = `
  select user_id, field_id, ${normal('value')} as address, count(distinct submission_uuid)::integer as submissions
    from submission_values join submissions on submissions.uuid = submission_uuid
   where field_id = any ($3) and ${normal('value')} = any ($2) and user_id <> all ($4)
     and (user_id, field_id, ${normal('value')}) > ($5::integer, $6::integer, $7::text)
   group by 1, 2, 3 order by 1, 2, 3 limit ${PAGE}`;

const FIND_USERS = 'select id, email from users where id = any ($1)';

/**
 * Finds the accounts whose answers in email fields are one of the addresses, regardless of letter case and of white space at the ends.
 * Searches by the fields, because values have no other index. Needs memory for one page.
 */
export async function* accountsInAnswers(
  manager: EntityManager,
  addresses: readonly string[],
  exceptIds: readonly number[],
): AsyncGenerator<AccountInAnswers> {
  let account: (Person & { answers: AnswersWithAddress[] }) | undefined;
  for await (const { id, email, form, field, address, submissions } of answersWith(
    manager,
    addresses,
    exceptIds,
  )) {
    if (account !== undefined && account.id !== id) yield account;
    if (account?.id !== id) account = { id, email, answers: [] };
    account.answers.push({ form, field, address, submissions });
  }
  if (account !== undefined) yield account;
}

/** Yields one row for each account, field and address, in the order of the accounts. */
async function* answersWith(
  manager: EntityManager,
  addresses: readonly string[],
  exceptIds: readonly number[],
): AsyncGenerator<Found> {
  if (addresses.length === 0) return;
  const fields = await manager.query<{ id: number; field: string; form: string }[]>(FIND_FIELDS);
  const fieldsById = new Map(fields.map((field) => [field.id, field]));
  const [normalized] = await manager.query<[{ addresses: string[] }]>(NORMALIZE, [WHITE_SPACE, addresses]);
  let after: readonly [userId: number, fieldId: number, address: string] = [0, 0, ''];
  for (;;) {
    const page = await manager.query<
      { user_id: number; field_id: number; address: string; submissions: number }[]
    >(FIND_ANSWERS, [WHITE_SPACE, normalized.addresses, [...fieldsById.keys()], exceptIds, ...after]);
    const ids = [...new Set(page.map(({ user_id }) => user_id))];
    const users = await manager.query<Person[]>(FIND_USERS, [ids]);
    const emails = new Map(users.map(({ id, email }) => [id, email]));
    for (const { user_id: id, field_id, address, submissions } of page) {
      const { field = '', form = '' } = fieldsById.get(field_id) ?? {};
      yield { id, email: emails.get(id) ?? null, field_id, field, form, address, submissions };
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = [last.user_id, last.field_id, last.address];
  }
}

/** For example `2 submissions have the address ada@example.org in the field email of the form job-application`. */
export function reasonOf({ submissions, address, field, form }: AnswersWithAddress): string {
  const verb = submissions === 1 ? 'has' : 'have';
  const where = `in the field ${printable(field)} of the form ${printable(form)}`;
  return `${counted(submissions, 'submission')} ${verb} the address ${printable(address)} ${where}`;
}
