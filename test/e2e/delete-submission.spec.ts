import { EntityRecord, Submission, SubmissionValue } from '../../src/entities.js';
import { etagOf, expectUnauthenticated, COMPLETED, GONE } from '../support/answers.js';
import { createDraft, newDraft } from '../support/drafts.js';
import { buildRecords } from '../support/forms.js';
import { expectRefusal } from '../support/refusal.js';
import { newUser, useService, withServiceOn } from '../support/service.js';
import { asAnotherProgram } from '../support/test-server.js';

describe('DELETE /api/v1/submissions/{uuid}', () => {
  const use = useService();

  const countOf = async (uuid: string) => {
    const { manager } = use.database.dataSource;
    return {
      submissions: await manager.countBy(Submission, { uuid }),
      values: await manager.countBy(SubmissionValue, { submissionUuid: uuid }),
      records: await manager.countBy(EntityRecord, { submissionUuid: uuid }),
    };
  };

  it('deletes a draft with its values and records, and nothing else (O2)', async () => {
    const draft = await newDraft(use, [{ name: { isRepeatable: true } }]);
    const { client, path, uuid, form } = draft;
    const other = await createDraft(client, draft);
    for (const one of [draft, other]) {
      const [record] = await buildRecords(use.database.dataSource, form.id, one.uuid, 1);
      const values = [
        { field_code: 'name', value: 'Ada' },
        { field_code: 'name', value: 'Grace', entity_record_id: record },
      ];
      expect((await client.post(`${one.path}/values`, { values })).status).toBe(200);
    }

    const { status, body, headers } = await client.delete(path);

    expect([status, body, headers.get('cache-control'), headers.get('etag')]).toEqual([
      ...[204, undefined, 'no-store', null],
    ]);
    expect(await countOf(uuid)).toEqual({ submissions: 0, values: 0, records: 0 });
    expect(await countOf(other.uuid)).toEqual({ submissions: 1, values: 2, records: 1 });
    expectRefusal(await client.delete(path), 404, GONE);
  });

  it('rejects a completed submission and keeps it (S3), unless If-Match does not match', async () => {
    const { client, path, uuid } = await newDraft(use);
    const completed = await client.patch(path, { status: 'completed' });
    expectRefusal(await client.delete(path), 422, COMPLETED);
    expectRefusal(await client.delete(path, { 'If-Match': etagOf(completed) }), 422, COMPLETED);
    expectRefusal(await client.delete(path, { 'If-Match': '"x"' }), 412);
    expect(await countOf(uuid)).toMatchObject({ submissions: 1 });
    expect(etagOf(await client.get(path))).toBe(etagOf(completed));
  });

  it('deletes only a state that matches If-Match (S11)', async () => {
    const { client, path } = await newDraft(use);
    const first = etagOf(await client.get(path));
    const second = etagOf(await client.patch(path, { meta: {} }));
    for (const header of [first, '"x"', `W/${second}`, ''])
      expectRefusal(await client.delete(path, { 'If-Match': header }), 412);
    expect((await client.get(path)).status).toBe(200);
    expect((await client.delete(path, { 'If-Match': `"x", ${second}` })).status).toBe(204);
  });

  it("returns 404 for another user's submission and an unknown or malformed UUID (S1, F6)", async () => {
    const { path, uuid } = await newDraft(use);
    const { client } = await newUser(use);
    for (const target of [path, path.replace(uuid, crypto.randomUUID()), '/api/v1/submissions/x'])
      expectRefusal(await client.delete(target), 404, GONE);
    expectUnauthenticated(await use.service.anyone.delete(path));
    expect(await countOf(uuid)).toMatchObject({ submissions: 1 });
  });

  it('deletes once if many calls come at the same time', async () => {
    const { client, path } = await newDraft(use);
    const answers = await Promise.all(Array.from({ length: 8 }, () => client.delete(path)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, ...Array<number>(7).fill(404)]);
  });

  it('holds no connection while another program has the draft locked, with any kind of lock', () =>
    withServiceOn(use.database, { DATABASE_POOL_SIZE: '2' }, async (service) => {
      const draft = await newDraft({ ...use, service });
      const { client } = draft;
      const locked: { path: string }[] = [];
      await asAnotherProgram(use.database.connection, async (program) => {
        await program.query('begin');
        for (const lock of ['for update', 'for no key update', 'for share', 'for key share']) {
          const { uuid, path } = await createDraft(client, draft);
          await program.query(`select from submissions where uuid = $1 ${lock}`, [uuid]);
          locked.push({ path });
        }
        let done = 0;
        const deletions = locked.map(({ path }) => client.delete(path).finally(() => (done += 1)));
        // The service's two connections serve other requests meanwhile.
        for (let reads = 0; reads < 5; reads += 1) {
          const answers = await Promise.all(locked.map(({ path }) => client.get(path)));
          expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
        }
        expect(done).toBe(0);
        await program.query('commit');
        expect((await Promise.all(deletions)).map(({ status }) => status)).toEqual([204, 204, 204, 204]);
      });
    }));

  it('also deletes a value that another program adds at the same time', async () => {
    const { client, path, uuid, form, fields } = await newDraft(use);
    await asAnotherProgram(use.database.connection, async (program) => {
      await program.query('begin');
      await program.query(
        `insert into submission_values (submission_uuid, form_id, field_id, is_repeatable, value)
         values ($1, $2, $3, false, 'late')`,
        [uuid, form.id, fields['name']!.id],
      );
      const deletion = client.delete(path);
      await program.query('commit');
      expect((await deletion).status).toBe(204);
    });
    expect(await countOf(uuid)).toMatchObject({ submissions: 0, values: 0 });
  });

  it('does not change the stored response to a repeated creation (S10)', async () => {
    const { client, form } = await newDraft(use);
    const create = (query = '') =>
      client.post(`/api/v1/submissions${query}`, { form_uuid: form.uuid }, { 'Idempotency-Key': 'once' });
    const first = await create();
    expect((await client.delete(`/api/v1/submissions/${first.body.data.uuid}`)).status).toBe(204);
    const again = await create();
    expect([again.status, again.body]).toEqual([201, first.body]);
    expectRefusal(await create('?include=conditions'), 404, GONE);
  });
});
