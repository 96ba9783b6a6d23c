import { DEFAULT_PER_PAGE } from '../../src/http/pagination.js';
import * as statements from '../../src/submissions/list/list.statements.js';
import { itOnOneServer } from '../support/it-on-one-server.js';
import { expectUnauthenticated } from '../support/answers.js';
import type { Answer, Client } from '../support/client.js';
import { createDraft } from '../support/drafts.js';
import { buildForm, type BuiltForm } from '../support/forms.js';
import { expectInvalid } from '../support/refusal.js';
import { newUser, useService, withServiceOn } from '../support/service.js';
import { testDatabase } from '../support/test-database.js';
import { asAnotherProgram } from '../support/test-server.js';

const LIST = '/api/v1/submissions';

interface Listed {
  readonly uuid: string;
  readonly status: string;
  readonly form: { readonly uuid: string };
}

const use = useService();

describe('GET /api/v1/submissions', () => {
  /** Creates a user with `count` drafts of a form. Returns their UUIDs, newest first. */
  async function draftsOf(count: number, built?: BuiltForm) {
    const form = built ?? (await buildForm(use.database.dataSource));
    const { client } = await newUser(use);
    const uuids: string[] = [];
    while (uuids.length < count) uuids.unshift((await createDraft(client, form)).uuid);
    return { ...form, client, uuids };
  }

  const uuidsIn = ({ status, body }: Answer): string[] => {
    expect(status).toBe(200);
    return (body.data as Listed[]).map(({ uuid }) => uuid);
  };

  /** Follows the links from page to page, over at most `most` pages. */
  async function pages(client: Client, query: string, most = 20): Promise<Answer[]> {
    const found: Answer[] = [];
    let next: string | null = `${use.service.url}${LIST}${query}`;
    while (next !== null && found.length < most) {
      const page: Answer = await client.get(next.replace(use.service.url, ''));
      found.push(page);
      next = page.body.links.next as string | null;
    }
    return found;
  }

  it("returns the user's own submissions, newest first, with their forms and without values (O1)", async () => {
    const { client, form, fields, uuids } = await draftsOf(2);
    await draftsOf(1, { form, fields, steps: [] });
    await client.post(`${LIST}/${uuids[1]}/values`, { values: [{ field_code: 'name', value: 'Ada' }] });
    await client.patch(`${LIST}/${uuids[1]}`, { status: 'completed', meta: { from: 'test' } });

    const answer = await client.get(LIST);

    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('etag')).toBeNull();
    // Each entry has the properties of the submission except its values and records.
    const data = await Promise.all(
      uuids.map(async (uuid) => {
        const { values: _, records: __, ...read } = (await client.get(`${LIST}/${uuid}`)).body.data;
        return { ...read, form: { uuid: form.uuid, name: form.name, slug: form.slug } };
      }),
    );
    expect(data.map(({ status, meta }) => [status, meta])).toEqual([
      ['draft', null],
      ['completed', { from: 'test' }],
    ]);
    expect(answer.body).toEqual({ data, links: { next: null }, meta: { per_page: DEFAULT_PER_PAGE } });
  });

  it('returns an empty list to a user without submissions, and needs a token', async () => {
    const { client } = await newUser(use);
    expect((await client.get(LIST)).body).toEqual({
      data: [],
      links: { next: null },
      meta: { per_page: DEFAULT_PER_PAGE },
    });
    expectUnauthenticated(await use.service.anyone.get(LIST));
  });

  it('returns each submission once over all pages, even if others are created and deleted meanwhile', async () => {
    const { client, uuids, ...form } = await draftsOf(7);

    const first = await client.get(`${LIST}?per_page=3`);
    expect(uuidsIn(first)).toEqual(uuids.slice(0, 3));
    expect(first.body.meta).toEqual({ per_page: 3 });
    // Delete the last submission of the first page, and create a submission that precedes all others.
    expect((await client.delete(`${LIST}/${uuids[2]}`)).status).toBe(204);
    await createDraft(client, form);

    const rest = await pages(client, new URL(first.body.links.next as string).search);
    expect(rest.map(uuidsIn)).toEqual([uuids.slice(3, 6), uuids.slice(6)]);
  });

  it('pages through submissions with the same timestamp, and ends with a full page', async () => {
    const { client, uuids } = await draftsOf(4);
    await use.database.dataSource.query(
      `update submissions set created_at = '2026-01-01T00:00:00.000001Z' where uuid = any ($1)`,
      [uuids],
    );
    const found = (await pages(client, '?per_page=2')).map(uuidsIn);
    expect(found.map(({ length }) => length)).toEqual([2, 2]);
    expect(found.flat()).toEqual([...uuids].sort().reverse());
  });

  it('filters by status, by form, and by both', async () => {
    const mine = await draftsOf(4);
    const { client, uuids } = mine;
    const other = await buildForm(use.database.dataSource, { form: { isActive: true } });
    const { uuid: ofOther } = await createDraft(client, other);
    for (const uuid of [uuids[0], ofOther]) await client.patch(`${LIST}/${uuid}`, { status: 'completed' });
    // Submissions to an inactive form are listed too (F4).
    await use.database.dataSource.query('update forms set is_active = false where id = $1', [other.form.id]);

    const found = async (query: string) => (await pages(client, `${query}&per_page=1`)).flatMap(uuidsIn);
    expect(await found('?status=draft')).toEqual(uuids.slice(1));
    expect(await found('?status=completed')).toEqual([ofOther, uuids[0]]);
    expect(await found(`?form_uuid=${mine.form.uuid}`)).toEqual(uuids);
    expect(await found(`?form_uuid=${other.form.uuid.toUpperCase()}`)).toEqual([ofOther]);
    expect(await found(`?form_uuid=${mine.form.uuid}&status=completed`)).toEqual([uuids[0]]);
    expect(await found(`?form_uuid=${other.form.uuid}&status=draft`)).toEqual([]);
  });

  it('links to the next page with the known parameters of the request only (F3)', async () => {
    const { client, form } = await draftsOf(2);
    const query = `status=draft&form_uuid=${form.uuid.toUpperCase()}&per_page=1`;
    const { next } = (await client.get(`${LIST}?other=x&${query}&__proto__=y`)).body.links;
    expect(next).toMatch(new RegExp(`^${use.service.url}${LIST}\\?${query}&cursor=[\\w-]+$`));

    await withServiceOn(use.database, { PUBLIC_URL: 'https://forms.example.org' }, async (service) => {
      const user = await newUser({ ...use, service });
      for (let begun = 0; begun < 2; begun += 1) {
        await user.client.post(LIST, { form_uuid: form.uuid });
      }
      const { body } = await user.client.get(`${LIST}?per_page=1`);
      expect(body.links.next).toMatch(
        /^https:\/\/forms\.example\.org\/api\/v1\/submissions\?per_page=1&cursor=/,
      );
    });
  });

  it('rejects invalid parameters under their names', async () => {
    const { client } = await newUser(use);
    const noSuchDay = '2026-02-30T10:15:30.123456Z 01a1fd9a-9a4b-7c31-9b5d-2f8e41c07a66';
    for (const [name, query] of [
      ['status', 'status=open'],
      ['status', 'status='],
      ['status', 'status=draft&status=completed'],
      ['form_uuid', 'form_uuid=01890000-0000-7000-8000-000000000001'],
      ['form_uuid', 'form_uuid=%00'],
      ['form_uuid', 'form_uuid=a&form_uuid=b'],
      ['per_page', 'per_page=0'],
      ['per_page', 'per_page=101'],
      ['cursor', 'cursor='],
      ['cursor', 'cursor=a&cursor=b'],
      ['cursor', `cursor=${Buffer.from(noSuchDay).toString('base64url')}`],
    ] as const)
      expectInvalid(await client.get(`${LIST}?${query}`), name);
  });

  it("treats another user's cursor as a place in the caller's own list", async () => {
    const theirs = await draftsOf(3);
    const { body } = await theirs.client.get(`${LIST}?per_page=1`);
    const mine = await draftsOf(1);
    const { search } = new URL(body.links.next as string);
    expect(uuidsIn(await mine.client.get(`${LIST}${search}`))).toEqual([]);
  });

  it('sends a single statement if the form is cached', async () => {
    const { client, form } = await draftsOf(3);
    const names = async (query: string) =>
      (await use.service.statementsDuring(() => client.get(`${LIST}${query}`))).map(({ name }) => name);
    expect(await names('')).toEqual(['submissions.list']);
    await client.get(`/api/v1/forms/${form.uuid}`);
    expect(await names(`?form_uuid=${form.uuid}`)).toEqual(['submissions.list_of_form']);
  });
});

describe('the statements of the list', () => {
  const MANY = 5_000;
  const PER_PAGE = 15;

  interface Plan {
    readonly 'Node Type': string;
    readonly 'Index Name'?: string;
    readonly 'Relation Name'?: string;
    readonly 'Actual Rows': number;
    readonly 'Actual Loops': number;
    readonly 'Rows Removed by Filter'?: number;
    readonly Plans?: readonly Plan[];
  }

  const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

  itOnOneServer(
    'read only the rows of the page, on any page, even with plans from before there were any rows',
    async () => {
      const database = await testDatabase();
      await asAnotherProgram(database.connection, async (program) => {
        await program.query('set plan_cache_mode = force_generic_plan');
        for (const [name, { text }] of Object.entries({
          own: statements.LIST_SUBMISSIONS,
          of_form: statements.LIST_SUBMISSIONS_OF_FORM,
        })) {
          await program.query(`prepare ${name} as ${text}`);
        }
        const explain = async (name: string, statuses: string, at: string, form = '') => {
          const { rows } = await program.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
            `explain (analyze, format json) execute ${name}
             (1, '${statuses}', '${at}', 'ffffffff-ffff-ffff-ffff-ffffffffffff', ${PER_PAGE + 1}${form})`,
          );
          return nodesOf(rows[0]!['QUERY PLAN'][0].Plan);
        };
        await explain('own', '{draft}', 'infinity');
        await explain('of_form', '{draft}', 'infinity', ', 1');

        // Insert submissions of two users: one per second, 99 % completed, and every thousandth to another form.
        await program.query(`
        insert into users (email) select n || '@example.org' from generate_series(1, 3) n;
        insert into forms (name, slug) values ('One', 'one'), ('Other', 'other');
        insert into submissions (uuid, form_id, user_id, status, created_at)
        select gen_random_uuid(), case when n % 1000 = 0 then 2 else 1 end, case when n % 10 = 0 then 2 else 1 end,
               case when n % 100 = 1 then 'draft' else 'completed' end, '2026-01-01'::timestamptz + make_interval(secs => n)
          from generate_series(1, ${MANY}) n`);
        const read = (nodes: Plan[]) =>
          nodes
            .filter((node) => node['Relation Name'] === 'submissions')
            .map((node) => {
              expect(node['Index Name']).toBe('submissions_user_id_status_created_at_uuid_form_id_idx');
              expect(node['Rows Removed by Filter'] ?? 0).toBe(0);
              return node['Actual Rows'] * node['Actual Loops'];
            })
            .reduce((sum, rows) => sum + rows, 0);

        for (const analyzed of [false, true]) {
          if (analyzed) await program.query('analyze submissions');
          for (const at of ['infinity', '2026-01-01T01:00:00Z', '2026-01-01T00:30:00Z']) {
            const both = read(await explain('own', '{draft,completed}', at));
            expect(both).toBeGreaterThanOrEqual(PER_PAGE + 1);
            expect(both).toBeLessThanOrEqual(2 * (PER_PAGE + 1));
            for (const status of ['{draft}', '{completed}']) {
              expect(read(await explain('own', status, at))).toBe(PER_PAGE + 1);
              expect(read(await explain('of_form', status, at, ', 1'))).toBe(PER_PAGE + 1);
            }
          }
          // User 1 has no submission to the other form. The index answers this without reading a row.
          expect(read(await explain('of_form', '{draft,completed}', 'infinity', ', 2'))).toBe(0);
        }
      });
      await database.close();
    },
    60_000,
  );
});
