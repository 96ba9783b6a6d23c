import { etagOf, withVersion } from '../support/answers.js';
import type { Answer } from '../support/client.js';
import { type Draft, newDraft } from '../support/drafts.js';
import { buildRecords, type FieldPlan } from '../support/forms.js';
import { itOnOneServer } from '../support/it-on-one-server.js';
import { eventually } from '../support/eventually.js';
import { expectInvalid, expectRefusal } from '../support/refusal.js';
import { startService, useService } from '../support/service.js';
import { asAnotherProgram } from '../support/test-server.js';

const PLAN: Record<string, FieldPlan>[] = [
  { kind: {}, vat: { conditions: [['kind', 'equals', 'company', 'show']] } },
  { note: { conditions: [['kind', 'not_empty', '', 'require']] } },
  {},
];
const COMPANY = { values: [{ field_code: 'kind', value: 'company' }] };
const QUERIES = ['', '&shape=map', '&shape=list', '&explain=true', '&shape=list&explain=true'];

/** Each request that can include conditions. It sends `statements`, and with conditions also those in `more`. */
const REQUESTS = [
  {
    name: 'create',
    send: ({ client, form }: Draft, query: string) =>
      client.post(`/api/v1/submissions${query}`, { form_uuid: form.uuid }),
    statements: ['submissions.create'],
    more: ['submissions.find_values'],
  },
  {
    name: 'get',
    send: ({ client, path }: Draft, query: string) => client.get(path + query),
    statements: ['submissions.find_with_values'],
    more: [],
  },
  {
    name: 'values',
    send: ({ client, path }: Draft, query: string) => client.post(`${path}/values${query}`, COMPANY),
    statements: ['submissions.store_values'],
    more: ['submissions.find_values'],
  },
  {
    name: 'advance',
    send: ({ client, path }: Draft, query: string) => client.post(`${path}/advance${query}`),
    statements: ['submissions.advance'],
    more: ['submissions.find_values'],
  },
  {
    name: 'retreat',
    send: ({ client, path }: Draft, query: string) => client.post(`${path}/retreat${query}`),
    statements: ['submissions.retreat'],
    more: ['submissions.find_values'],
  },
] as const;

describe('?include=conditions (V13)', () => {
  const use = useService();

  /** Creates a draft on the second of three steps, so that it can move in both directions. */
  async function movable(service = use.service): Promise<Draft> {
    const draft = await newDraft({ ...use, service }, PLAN);
    expect((await draft.client.post(`${draft.path}/advance`)).status).toBe(200);
    return draft;
  }

  const conditionsAfter = async (draft: Draft, answer: Answer, query: string) => {
    const uuid = (answer.body.data.uuid as string | undefined) ?? draft.uuid;
    return (await draft.client.get(`/api/v1/submissions/${uuid}/conditions?${query}`)).body as unknown;
  };

  describe.each(REQUESTS)('on $name', ({ send, statements, more }) => {
    it.each(QUERIES)('adds what GET …/conditions then returns, for include=conditions%s', async (query) => {
      const draft = await movable();
      if (!statements.some((name) => name.endsWith('store_values'))) {
        await draft.client.post(`${draft.path}/values`, COMPANY);
      }

      const answer = await send(draft, `?include=conditions${query}`);

      expect([200, 201]).toContain(answer.status);
      expect(Object.keys(answer.body)).toEqual(['data', 'form_version', 'conditions']);
      expect(JSON.stringify(answer.body.conditions)).toBe(
        JSON.stringify(await conditionsAfter(draft, answer, query)),
      );
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(answer.headers.get('cache-control')).toBe('no-store');
    });

    it('changes nothing else in the response, whose ETag is that of the submission', async () => {
      const answer = await send(await movable(), '?include=conditions');
      const plain = await send(await movable(), '');
      const shapeOf = ({ status, body, headers }: Answer) => ({
        ...{ status, data: Object.keys(body.data) },
        headers: [...headers.keys()].filter((name) => !/date|content-length|x-request-id/.test(name)),
      });
      expect(shapeOf(answer)).toEqual(shapeOf(plain));
      expect(Object.keys(plain.body)).toEqual(['data', 'form_version']);
      expect(etagOf(answer)).toMatch(/^"\d{4}-/);
    });

    itOnOneServer('sends no more statements than necessary, with and without conditions', async () => {
      const names = async (query: string) => {
        const draft = await movable();
        await draft.client.get(`${draft.path}/conditions`);
        return (await use.service.statementsDuring(() => send(draft, query))).map(({ name }) => name);
      };
      expect(await names('')).toEqual(statements);
      expect(await names('?shape=list')).toEqual(statements);
      expect(await names('?include=conditions')).toEqual([...statements, ...more]);
    });

    it.each([
      ['include', 'include=values'],
      ['include', 'include='],
      ['include', 'include=conditions,values'],
      ['include', 'include=conditions&include=conditions'],
      ['include', 'include=Conditions'],
      ['shape', 'include=conditions&shape=tree'],
      ['shape', 'shape=tree'],
      ['explain', 'include=conditions&explain=1'],
    ])('rejects an invalid %s and writes nothing: ?%s', async (name, query) => {
      const draft = await movable();
      const before = etagOf(await draft.client.get(draft.path));
      expectInvalid(await send(draft, `?${query}`), name);
      expect(etagOf(await draft.client.get(draft.path))).toBe(before);
      const { body } = await draft.client.get('/api/v1/submissions');
      expect(body.data).toHaveLength(1);
    });
  });

  it('includes the states in each record with scope=records (R6)', async () => {
    const draft = await newDraft(use, [{ kind: {} }]);
    const { client, path, form, uuid } = draft;
    const [record] = await buildRecords(use.database.dataSource, form.id, uuid, 1);
    const read = await client.get(`${path}/conditions?scope=records`);
    expect(Object.keys(read.body.records)).toEqual([`${record}`]);
    for (const answer of [
      await client.get(`${path}?include=conditions&scope=records`),
      await client.post(`${path}/values?include=conditions&scope=records`, { values: [] }),
    ]) {
      expect(answer.body).toEqual({
        data: answer.body.data,
        form_version: read.body.form_version,
        conditions: read.body,
      });
    }
    expectInvalid(await client.get(`${path}?include=conditions&scope=all`), 'scope');
  });

  it('evaluates the values that the request stores', async () => {
    const draft = await newDraft(use, PLAN);
    const vat = String(draft.fields['vat']!.id);
    const created = await draft.client.post('/api/v1/submissions?include=conditions', {
      form_uuid: draft.form.uuid,
    });
    expect(created.body.conditions.data[vat]).toEqual({ visible: false, required: false });
    const store = async (value: string) => {
      const values = [{ field_code: 'kind', value }];
      return (await draft.client.post(`${draft.path}/values?include=conditions`, { values })).body.conditions
        .data;
    };
    expect((await store('company'))[vat]).toEqual({ visible: true, required: false });
    expect((await store('person'))[vat]).toEqual({ visible: false, required: false });
  });

  it('uses the shape of CONDITIONS_SHAPE if the client names none', async () => {
    const service = await startService(use.database, { CONDITIONS_SHAPE: 'list' });
    try {
      const draft = await movable(service);
      expect((await draft.client.get(`${draft.path}?include=conditions`)).body.conditions).toEqual(
        await conditionsAfter(draft, await draft.client.get(draft.path), ''),
      );
    } finally {
      await service.close();
    }
  });

  it('adds nothing to an error', async () => {
    const draft = await newDraft(use, [{}]);
    const { client, path } = draft;
    expectRefusal(await client.post(`${path}/advance?include=conditions`), 422, {
      message: 'Already on the last step.',
    });
    expectInvalid(
      await client.post(`${path}/values?include=conditions`, { values: [{ field_code: 'x', value: '' }] }),
      'values.0.field_code',
    );
    expectRefusal(
      await client.post(`${path}/values?include=conditions`, { values: [] }, { 'If-Match': '"x"' }),
      412,
    );
  });

  it('is not part of the request that an Idempotency-Key identifies, and is evaluated anew (S10)', async () => {
    const draft = await newDraft(use, PLAN);
    const { client, path, form } = draft;
    const vat = String(draft.fields['vat']!.id);
    const advance = (query: string) =>
      client.post(`${path}/advance${query}`, undefined, { 'Idempotency-Key': 'move' });
    const first = await advance('');
    await client.post(`${path}/values`, COMPANY);
    const again = await advance('?include=conditions');
    expect([again.status, again.body.data, etagOf(again)]).toEqual([200, first.body.data, etagOf(first)]);
    expect(again.body.conditions.data[vat]).toEqual({ visible: true, required: false });

    const create = (query: string) =>
      client.post(`/api/v1/submissions${query}`, { form_uuid: form.uuid }, { 'Idempotency-Key': 'begin' });
    const begun = await create('?include=conditions');
    await client.post(`/api/v1/submissions/${begun.body.data.uuid}/values`, COMPANY);
    const repeated = await create('?include=conditions&shape=map');
    expect([repeated.status, repeated.body.data]).toEqual([201, begun.body.data]);
    expect(repeated.body.conditions.data[vat]).toEqual({ visible: true, required: false });
    expect((await create('')).body).toEqual(withVersion(begun.body.data, begun.body.form_version));
  });

  const GONE = { message: 'Submission not found.' };

  itOnOneServer.each(REQUESTS.filter(({ name }) => ['create', 'advance', 'retreat'].includes(name)))(
    'gets 404 if the draft is deleted right after the write, which was still executed: $name',
    async ({ send }) => {
      const draft = await movable();
      const ofUser = [draft.userId];
      const answer = await asAnotherProgram(use.database.connection, async (program) => {
        const states = async () => {
          const { rows } = await program.query<{ state: string }>(
            `select uuid || ' ' || current_step as state from submissions where user_id = $1 order by 1`,
            ofUser,
          );
          return rows.map(({ state }) => state);
        };
        const before = await states();
        await program.query('begin');
        // These writes do not touch the table of values, but their conditions are read from it.
        await program.query('lock table submission_values in access exclusive mode');
        const sent = send(draft, '?include=conditions');
        await eventually('the conditions are being read', async () => {
          const { rows } = await program.query(
            'select from pg_locks where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))',
          );
          return rows.length > 0;
        });
        expect(await states()).not.toEqual(before);
        await program.query('delete from submissions where user_id = $1', ofUser);
        await program.query('commit');
        return sent;
      });
      expectRefusal(answer, 404, GONE);
    },
  );

  it('gets 404 for a repeated request whose draft was deleted (S10)', async () => {
    const { client, form } = await newDraft(use, PLAN);
    const create = (query: string) =>
      client.post(`/api/v1/submissions${query}`, { form_uuid: form.uuid }, { 'Idempotency-Key': 'gone' });
    const begun = await create('?include=conditions');
    expect((await client.delete(`/api/v1/submissions/${begun.body.data.uuid}`)).status).toBe(204);
    expectRefusal(await create('?include=conditions'), 404, GONE);
    expect((await create('')).body).toEqual(withVersion(begun.body.data, begun.body.form_version));
  });

  it('is evaluated separately for each of many concurrent requests', async () => {
    const drafts: Draft[] = [];
    while (drafts.length < 24) drafts.push(await newDraft(use, PLAN));
    const answers = await Promise.all(
      drafts.map(({ client, path }, index) =>
        client.post(`${path}/values?include=conditions`, {
          values: [{ field_code: 'kind', value: index % 2 === 0 ? 'company' : 'person' }],
        }),
      ),
    );
    expect(
      answers.map(({ body }, index) => body.conditions.data[drafts[index]!.fields['vat']!.id].visible),
    ).toEqual(drafts.map((_, index) => index % 2 === 0));
  });

  it('is ignored on PATCH and DELETE', async () => {
    const { client, path } = await newDraft(use, PLAN);
    expect(Object.keys((await client.patch(`${path}?include=conditions`, { meta: {} })).body)).toEqual([
      ...['data', 'form_version'],
    ]);
    expect((await client.delete(`${path}?include=x`)).status).toBe(204);
  });
});
