import { issueToken } from '../src/entities.js';
import { etagOf } from './support/answers.js';
import { newDraft } from './support/drafts.js';
import { onOneServer } from './support/it-on-one-server.js';
import { useService } from './support/service.js';
import { MAY_BE_INFINITE, TIMESTAMP_COLUMNS, UNWRITABLE } from './support/timestamps.js';

const RIGHT = ['0001-01-01 00:00:00+00', '1684-01-01 00:00:00.000001+00', '9999-12-31 23:59:59.999999+00'];

onOneServer('the checks against timestamps that ISO 8601 cannot write', () => {
  const use = useService();

  it('exist for each timestamp column, and reject them and no other timestamps', async () => {
    const { dataSource } = use.database;
    const found = await dataSource.query<{ name: string; type: string; check: string; isValid: boolean }[]>(
      `select relname || '.' || attname as name, format_type(atttypid, null) as type,
              replace(pg_get_expr(conbin, conrelid), attname, 'value') as check, convalidated as "isValid"
         from pg_attribute join pg_class on pg_class.oid = attrelid join pg_type on pg_type.oid = atttypid
              left join pg_constraint on conrelid = attrelid and conname = relname || '_' || attname || '_check'
        where relkind = 'r' and relnamespace = 'public'::regnamespace and typcategory in ('D', 'T') and attnum > 0
          and not attisdropped order by 1`,
    );
    const type = 'timestamp with time zone';
    expect(found.map((column) => ({ ...column, check: '' }))).toEqual(
      TIMESTAMP_COLUMNS.map(({ name }) => ({ name, type, check: '', isValid: true })).toSorted((a, b) =>
        a.name < b.name ? -1 : 1,
      ),
    );
    for (const { name, check } of found) {
      const rows = await dataSource.query<{ value: string | null; passes: boolean | null }[]>(
        `select text as value, ${check} as passes from unnest($1::text[]) text, lateral (select text::timestamptz as value) one`,
        [[...UNWRITABLE, ...RIGHT, null]],
      );
      const mayBeInfinite = MAY_BE_INFINITE.includes(name);
      const expected = [...UNWRITABLE, ...RIGHT, null].map((value) => ({
        value,
        passes: value === null ? null : RIGHT.includes(value) || (value === 'infinity' && mayBeInfinite),
      }));
      expect([name, rows]).toEqual([name, expected]);
    }
  });

  it('reject expiry times of tokens with a constraint name that a panel can show', async () => {
    const { userId } = await newDraft(use);
    for (const expiresAt of [new Date('+010000-01-01'), new Date('-000044-03-15'), new Date(8.64e15)]) {
      const issued = issueToken(use.database.dataSource.manager, { userId, expiresAt });
      await expect(issued).rejects.toMatchObject({
        driverError: { code: '23514', constraint: 'api_tokens_expires_at_check' },
      });
    }
  });

  it('allow writes to a submission and a form of the last day of year 9999, with a new ETag each time (S6)', async () => {
    const { client, path, uuid, form } = await newDraft(use, [{ name: {} }, {}]);
    const { dataSource } = use.database;
    for (const value of ['9999-12-31 23:59:59.999999+00', '9999-12-30 23:59:59.999999+00']) {
      await dataSource.query('update submissions set updated_at = $2 where uuid = $1', [uuid, value]);
      const seen = [etagOf(await client.get(path))];
      for (let write = 0; write < 3; write += 1) {
        const headers = { 'If-Match': seen.at(-1)! };
        const answer = await client.post(`${path}/values`, { values: [] }, headers);
        expect(answer.status).toBe(200);
        seen.push(etagOf(answer));
        expect(etagOf(await client.get(path))).toBe(seen.at(-1));
      }
      expect(new Set(seen).size).toBe(seen.length);
    }
    const slug = `late-${form.id}`;
    await dataSource.query(
      `insert into forms (name, slug, updated_at) values ('Late', $1, '9999-12-31 23:59:59.999999+00')`,
      [slug],
    );
    for (const name of ['Later', 'Latest'])
      await dataSource.query('update forms set name = $2 where slug = $1', [slug, name]);
    expect((await use.service.anyone.get(`/api/v1/forms/${slug}/by-slug`)).body.data).toMatchObject({
      ...{ name: 'Latest', version: 3 },
    });
  });

  it.each(RIGHT)('allow %s, which is then read, listed and matched by If-Match', async (value) => {
    const { client, path, uuid, form } = await newDraft(use);
    await use.database.dataSource.query(
      'update submissions set created_at = $2, updated_at = $2 where uuid = $1',
      [uuid, value],
    );
    const written = value
      .replace(' ', 'T')
      .replace(/(?:\.(\d+))?\+00$/, (_, digits = '000000') => `.${digits}Z`);
    const { body } = await client.get(path);
    expect(body.data).toMatchObject({ created_at: written, updated_at: written });
    expect((await client.patch(path, { meta: {} }, { 'If-Match': `"${written}"` })).status).toBe(200);
    // Create a second submission, so that the list has two pages.
    await client.post('/api/v1/submissions', { form_uuid: form.uuid });
    const first = await client.get('/api/v1/submissions?per_page=1');
    const next = await client.get(new URL(first.body.links.next).href.replace(use.service.url, ''));
    expect([next.status, next.body.data.length, next.body.links.next]).toEqual([200, 1, null]);
  });
});
