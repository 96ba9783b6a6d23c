import type { BatchedStatement } from '../../src/database/statement.js';
import * as moves from '../../src/submissions/drafts/move.statements.js';
import * as reads from '../../src/submissions/drafts/read.statements.js';
import * as writes from '../../src/submissions/submission.statements.js';
import { etagOf } from '../support/answers.js';
import type { Answer } from '../support/client.js';
import { createDraft, type Draft, newDraft } from '../support/drafts.js';
import { buildForm, buildRecords } from '../support/forms.js';
import { itOnOneServer } from '../support/it-on-one-server.js';
import { newUser, useOwnService } from '../support/service.js';
import { testDatabase } from '../support/test-database.js';
import { asAnotherProgram } from '../support/test-server.js';

/** More requests than connections, so that most of them share a statement. */
const MANY = 48;
/** Texts with a special meaning in PostgreSQL arrays or elsewhere. */
const AWKWARD = ['', 'NULL', 'null', '"', '\\', '\\"', '{a,b}', ',', ' ', '\n', "'", '$1', '\\N', '😀', '{}'];

const isShared = (one: unknown): one is BatchedStatement<unknown> =>
  typeof one === 'object' && one !== null && 'batchedBy' in one;
const textOf = (index: number) => `${AWKWARD[index % AWKWARD.length]}${index < AWKWARD.length ? '' : index}`;
const atOnce = <T, R>(items: readonly T[], call: (item: T, index: number) => Promise<R>) =>
  Promise.all(items.map(call));
const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status);
const all = (status: number) => Array<number>(MANY).fill(status);

describe('requests that share a statement get the same responses as if each had come alone', () => {
  const use = useOwnService({ DATABASE_POOL_SIZE: '4' });

  /** Creates drafts of one user and one form. */
  async function drafts(): Promise<{ first: Draft; paths: string[] }> {
    const first = await newDraft(use, [{ name: {} }, {}, {}]);
    const created = await atOnce(all(0), () => createDraft(first.client, first));
    return { first, paths: created.map(({ path }) => path) };
  }

  it('creating', async () => {
    const users = await atOnce([1, 2, 3], () => newUser(use));
    const forms = [await buildForm(use.database.dataSource), await buildForm(use.database.dataSource)];
    const userOf = (index: number) => users[index % 3]!;
    const formOf = (index: number) => forms[index % 2]!.form;
    const answers = await atOnce(all(0), (_, index) =>
      userOf(index).client.post('/api/v1/submissions', { form_uuid: formOf(index).uuid }),
    );
    expect(statuses(answers)).toEqual(all(201));
    expect(answers.map(({ body }) => body.data.form_id)).toEqual(all(0).map((_, index) => formOf(index).id));
    const found = await atOnce(answers, ({ body }, index) =>
      userOf(index).client.get(`/api/v1/submissions/${body.data.uuid}`),
    );
    expect(found.map(({ body }) => ({ ...body.data, values: undefined, records: undefined }))).toEqual(
      answers.map(({ body }) => ({ ...body.data, values: undefined, records: undefined })),
    );
  });

  it('storing, reading and evaluating', async () => {
    const { first, paths } = await drafts();
    const { client, fields } = first;
    const stranger = await newUser(use);
    const [record] = await buildRecords(use.database.dataSource, first.form.id, first.uuid, 1);
    const entry = (index: number) => ({ field_id: fields['name']!.id, value: textOf(index) });
    const store = (path: string, index: number) => client.post(`${path}/values`, { values: [entry(index)] });

    const stored = await atOnce([...paths, ...paths.slice(0, 3)], (path, index) => {
      if (index < MANY) return store(path, index);
      if (index === MANY) return stranger.client.post(`${path}/values`, { values: [entry(index)] });
      const ofAnother = { ...entry(index), entity_record_id: record };
      return client.post(`${path}/values`, { values: [ofAnother, entry(index)] });
    });
    expect(statuses(stored)).toEqual([...all(200), 404, 422, 422]);
    expect(Object.keys(stored.at(-1)!.body.errors)).toEqual(['values.0.entity_record_id']);
    expect(stored.slice(0, MANY).map(({ body }) => body.data[0].value)).toEqual(
      all(0).map((_, index) => textOf(index)),
    );

    const read = await atOnce([...paths, ...paths], (path, index) =>
      index < MANY ? client.get(path) : stranger.client.get(path),
    );
    expect(statuses(read)).toEqual([...all(200), ...all(404)]);
    expect(read.slice(0, MANY).map(({ body }) => body.data.values[0].value)).toEqual(
      all(0).map((_, index) => textOf(index)),
    );
    const evaluated = await atOnce([...paths, paths[0]!, paths[0]!], (path) =>
      client.get(`${path}/conditions`),
    );
    expect(new Set(statuses(evaluated))).toEqual(new Set([200]));
  });

  it('patching and moving, with and without If-Match', async () => {
    const { first, paths } = await drafts();
    const { client } = first;
    const metaOf = (index: number) => (index % 7 === 0 ? null : { [textOf(index)]: textOf(index + 1) });
    const patched = await atOnce(paths, (path, index) => client.patch(path, { meta: metaOf(index) }));
    expect(patched.map(({ status, body }) => [status, body.data.meta])).toEqual(
      all(200).map((status, index) => [status, metaOf(index)]),
    );

    const expected = all(0).map((_, index) => [200, 412, 200, 422][index % 4]!);
    await atOnce(paths, async (path, index) => {
      if (expected[index] === 422) await client.patch(path, { status: 'completed' });
    });
    const moved = await atOnce(paths, (path, index) => {
      const matching = { 'If-Match': `"other", ${etagOf(patched[index]!)}` };
      const headers = [matching, { 'If-Match': '"other"' }, {}, {}][index % 4]!;
      return client.post(`${path}/advance`, undefined, headers);
    });
    expect(statuses(moved)).toEqual(expected);
    const back = await atOnce(paths, (path) => client.post(`${path}/retreat`));
    expect(statuses(back)).toEqual(expected.map((status) => (status === 200 ? 200 : 422)));
    const read = await atOnce(paths, (path) => client.get(path));
    expect(read.map(({ body }) => [body.data.current_step, body.data.meta])).toEqual(
      all(1).map((step, index) => [step, metaOf(index)]),
    );
  });

  itOnOneServer(
    'and use indexes even if planned for empty tables, because plans stay while tables grow',
    async () => {
      const shared = Object.values<unknown>({ ...moves, ...reads, ...writes }).filter(isShared);
      expect(shared.length).toBeGreaterThan(5);
      const database = await testDatabase();
      await asAnotherProgram(database.connection, async (program) => {
        await program.query('set plan_cache_mode = force_generic_plan');
        for (const { types, text } of shared) {
          await program.query(`prepare planned as ${text}`);
          const { rows } = await program.query<{ 'QUERY PLAN': string }>(
            `explain execute planned (${types.map(() => 'null').join()})`,
          );
          const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
          expect(plan).not.toMatch(/Seq Scan on (submissions|submission_values|entity_records)/);
          await program.query('deallocate planned');
        }
      });
      await database.close();
    },
  );
});
