import { etagOf, withVersion, GONE } from '../support/answers.js';
import type { Answer } from '../support/client.js';
import { addRecord, stateOf, store } from '../support/draft-requests.js';
import { createDraft, type Draft, newDraft, newDraftOf } from '../support/drafts.js';
import { eventually } from '../support/eventually.js';
import { buildForm, type BuiltForm, type FormPlan } from '../support/forms.js';
import { itOnOneServer } from '../support/it-on-one-server.js';
import { expectInvalid, expectRefusal } from '../support/refusal.js';
import { newUser, useService } from '../support/service.js';
import { asAnotherProgram } from '../support/test-server.js';

const PLAN: FormPlan = {
  steps: [
    { kind: {}, vat: { conditions: [['kind', 'equals', 'company', 'show']] } },
    { note: { conditions: [['kind', 'not_empty', '', 'require']] } },
    {},
  ],
};
const LIST = '/api/v1/submissions';
const COMPANY = { values: [{ field_code: 'kind', value: 'company' }] };
const STEPS = '&shape=list&explain=true&steps=true';
const QUERIES = ['', '&shape=map', '&shape=list', '&explain=true', '&steps=true', STEPS];

/** Each request that can include conditions, and the statement that it sends. */
const REQUESTS: [string, statement: string, send: (draft: Draft, query: string) => Promise<Answer>][] = [
  ['create', 'create', (of, query) => of.client.post(`${LIST}${query}`, { form_uuid: of.form.uuid })],
  ['get', 'find_with_values', (of, query) => of.client.get(of.path + query)],
  ['values', 'store_values', (of, query) => of.client.post(`${of.path}/values${query}`, COMPANY)],
  ['advance', 'advance', (of, query) => of.client.post(`${of.path}/advance${query}`)],
  ['retreat', 'retreat', (of, query) => of.client.post(`${of.path}/retreat${query}`)],
];

describe('?include=conditions (V13)', () => {
  const use = useService();
  let built: BuiltForm;
  beforeAll(async () => {
    built = await buildForm(use.database.dataSource, PLAN);
  });

  /** Creates a draft of a new user. */
  async function begin(service = use.service): Promise<Draft> {
    const { client, id: userId } = await newUser({ ...use, service });
    return { ...built, client, userId, ...(await createDraft(client, built)) };
  }
  /** Creates a draft on the second of three steps, so that it can move in both directions. */
  async function movable(): Promise<Draft> {
    const draft = await begin();
    expect((await draft.client.post(`${draft.path}/advance`)).status).toBe(200);
    return draft;
  }

  const conditionsAfter = async ({ client, uuid }: Draft, answer: Answer, query: string): Promise<unknown> =>
    (await client.get(`${LIST}/${answer.body.data.uuid ?? uuid}/conditions?${query}`)).body;

  describe.each(REQUESTS)('on %s', (name, statement, send) => {
    it('adds what GET …/conditions then returns, and changes nothing else in the response', async () => {
      for (const query of QUERIES) {
        const draft = await movable();
        if (name !== 'values') await store(draft, { kind: 'company' });

        const answer = await send(draft, `?include=conditions${query}`);

        expect([200, 201]).toContain(answer.status);
        expect(Object.keys(answer.body)).toEqual(['data', 'form_version', 'conditions']);
        expect(JSON.stringify(answer.body.conditions)).toBe(
          JSON.stringify(await conditionsAfter(draft, answer, query)),
        );
      }
      const shapeOf = ({ status, body, headers }: Answer) => ({
        ...{ status, data: Object.keys(body.data) },
        headers: [...headers].filter(
          ([name]) => !/date|content-length|x-request-id|etag|location/.test(name),
        ),
      });
      // Without include=conditions, the other parameters have no effect.
      const plain = await send(await movable(), '?steps=true');
      const answer = await send(await movable(), '?include=conditions');
      expect(shapeOf(answer)).toEqual(shapeOf(plain));
      expect(etagOf(answer)).toMatch(/^"\d{4}-/);
      expect(Object.keys(plain.body)).toEqual(['data', 'form_version']);
    });

    itOnOneServer('sends no more statements than necessary, with and without conditions', async () => {
      const names = async (query: string) => {
        const draft = await movable();
        await draft.client.get(`${draft.path}/conditions`);
        return (await use.service.statementsDuring(() => send(draft, query))).map(({ name }) => name);
      };
      const more = name === 'get' ? [] : ['submissions.find_values'];
      expect(await names('?shape=list')).toEqual([`submissions.${statement}`]);
      expect(await names('?include=conditions')).toEqual([`submissions.${statement}`, ...more]);
    });

    it('rejects invalid parameters and writes nothing', async () => {
      const draft = await movable();
      const before = await stateOf(draft);
      for (const [name, query] of [
        ['include', 'include=values'],
        ['include', 'include='],
        ['include', 'include=conditions,values'],
        ['include', 'include=conditions&include=conditions'],
        ['shape', 'shape=tree'],
        ['explain', 'include=conditions&explain=1'],
        ['steps', 'include=conditions&steps=1'],
        ['steps', 'steps='],
      ] as const)
        expectInvalid(await send(draft, `?${query}`), name);
      expect(await stateOf(draft)).toEqual(before);
      expect((await draft.client.get(LIST)).body.data).toHaveLength(1);
    });
  });

  it('includes the states in each record with scope=records (R6)', async () => {
    const draft = await newDraftOf(use, {
      steps: [{ kind: { isRepeatable: true } }],
      entities: [{ name: 'thing', isRepeatable: true, of: ['kind'] }],
    });
    const { client, path } = draft;
    const record = await addRecord(draft, 'thing');
    const read = await client.get(`${path}/conditions?scope=records`);
    expect(Object.keys(read.body.records)).toEqual([`${record}`]);
    for (const answer of [
      await client.get(`${path}?include=conditions&scope=records`),
      await client.post(`${path}/values?include=conditions&scope=records`, { values: [] }),
    ])
      expect(answer.body.conditions).toEqual(read.body);
    expectInvalid(await client.get(`${path}?include=conditions&scope=all`), 'scope');
  });

  it('evaluates the values that the request stores, for each of many concurrent requests', async () => {
    const drafts = await Promise.all(Array.from({ length: 24 }, () => begin()));
    for (const kinds of [
      ['company', 'person'],
      ['person', 'company'],
    ]) {
      const answers = await Promise.all(
        drafts.map(({ client, path }, index) =>
          client.post(`${path}/values?include=conditions`, {
            values: [{ field_code: 'kind', value: kinds[index % 2] }],
          }),
        ),
      );
      expect(answers.map(({ body }) => body.conditions.data[built.fields['vat']!.id].visible)).toEqual(
        drafts.map((_, index) => kinds[index % 2] === 'company'),
      );
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
    const { client, path, form, fields } = await begin();
    const vat = String(fields['vat']!.id);
    const advance = (query: string) =>
      client.post(`${path}/advance${query}`, undefined, { 'Idempotency-Key': 'move' });
    const first = await advance('');
    await client.post(`${path}/values`, COMPANY);
    const again = await advance('?include=conditions');
    expect([again.status, again.body.data, etagOf(again)]).toEqual([200, first.body.data, etagOf(first)]);
    expect(again.body.conditions.data[vat]).toEqual({ visible: true, required: false });

    const create = (query: string) =>
      client.post(`${LIST}${query}`, { form_uuid: form.uuid }, { 'Idempotency-Key': 'begin' });
    const begun = await create('?include=conditions');
    await client.post(`${LIST}/${begun.body.data.uuid}/values`, COMPANY);
    const repeated = await create('?include=conditions&shape=map');
    expect([repeated.status, repeated.body.data]).toEqual([201, begun.body.data]);
    expect(repeated.body.conditions.data[vat]).toEqual({ visible: true, required: false });
    expect((await create('')).body).toEqual(withVersion(begun.body.data, begun.body.form_version));
  });

  itOnOneServer.each(REQUESTS.filter(([name]) => ['create', 'advance', 'retreat'].includes(name)))(
    'gets 404 if the draft is deleted right after the write, which was still executed: %s',
    async (_, __, send) => {
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
    const { client, form } = await begin();
    const create = (query: string) =>
      client.post(`${LIST}${query}`, { form_uuid: form.uuid }, { 'Idempotency-Key': 'gone' });
    const begun = await create('?include=conditions');
    expect((await client.delete(`${LIST}/${begun.body.data.uuid}`)).status).toBe(204);
    expectRefusal(await create('?include=conditions'), 404, GONE);
    expect((await create('')).body).toEqual(withVersion(begun.body.data, begun.body.form_version));
  });

  it('is ignored on PATCH and DELETE', async () => {
    const { client, path } = await begin();
    const { body } = await client.patch(`${path}?include=conditions`, { meta: {} });
    expect(Object.keys(body)).toEqual(['data', 'form_version']);
    expect((await client.delete(`${path}?include=x`)).status).toBe(204);
  });
});
