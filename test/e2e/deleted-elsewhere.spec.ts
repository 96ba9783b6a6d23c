import { GONE } from '../support/answers.js';
import { client as clientOf, type Answer, type Client } from '../support/client.js';
import { createDraft, newDraft } from '../support/drafts.js';
import { announcementOf } from '../support/files.js';
import { buildEntity, buildForm, type BuiltForm } from '../support/forms.js';
import { isOneServer } from '../support/it-on-one-server.js';
import { type DocumentedOperation, OF_A_SUBMISSION } from '../support/operations.js';
import { expectRefusal } from '../support/refusal.js';
import { newUser, useService, useServiceOn } from '../support/service.js';

/** A draft that two instances have cached, with a record or a file if the route is about one. */
interface Seen {
  readonly uuid: string;
  readonly recordId: number | undefined;
  readonly fileUuid: string | undefined;
}

interface Owner extends BuiltForm {
  readonly clients: readonly Client[];
}

/** Request bodies that the service checks against the form, in addition to the documented example. */
const BODIES: Readonly<Record<string, readonly object[]>> = {
  'POST /api/v1/submissions/{uuid}/values': [
    { values: [] },
    { values: [{ field_code: 'name', value: 'Ada' }] },
    { values: [{ field_code: 'unknown', value: 'Ada' }] },
    { values: [{ field_id: 2_147_483_647, value: 'Ada' }] },
    { values: [{ field_code: 'cv', value: 'file:01890000-0000-7000-8000-000000000001' }] },
  ],
  'POST /api/v1/submissions/{uuid}/records': [{ entity: 'receipt' }, { entity: 'unknown' }],
  'POST /api/v1/submissions/{uuid}/files': [
    announcementOf(Buffer.from('x')),
    announcementOf(Buffer.from('x'), { field_code: 'unknown' }),
    announcementOf(Buffer.from('x'), { field_code: 'name' }),
    announcementOf(Buffer.from('x'), { size: 26_214_400, media_type: 'image/png' }),
  ],
  'PATCH /api/v1/submissions/{uuid}': [{}, { status: 'completed' }, { status: 'draft' }],
};

const REQUESTS: (readonly [DocumentedOperation, object | undefined])[] = OF_A_SUBMISSION.flatMap(
  (operation) =>
    [operation.body, ...(BODIES[operation.route] ?? [])].map((body) => [operation, body] as const),
);

function send(client: Client, { method, path }: DocumentedOperation, body: object | undefined, seen: Seen) {
  const target = path
    .replace('{uuid}', seen.uuid)
    .replace('{id}', String(seen.recordId))
    .replace('{file}', String(seen.fileUuid));
  const headers: Record<string, string> = path.endsWith('/content')
    ? { 'Content-Type': 'application/octet-stream' }
    : {};
  return method === 'GET'
    ? client.get(target)
    : client.send(method, target, JSON.stringify(body ?? {}), headers);
}

describe('submissions that two instances have cached', () => {
  const use = useService();
  const replica = useServiceOn(use);

  /** Creates a form with a text field, a file field and an entity, and a user with a client of each instance. */
  async function newOwner(): Promise<Owner> {
    const built = await buildForm(use.database.dataSource, {
      steps: [{ name: {}, cv: { type: 'file' } }, {}],
    });
    await buildEntity(use.database.dataSource, built, { name: 'receipt', isRepeatable: true }, []);
    const { client, plainToken } = await newUser(use);
    const other = clientOf(replica.url, { Authorization: `Bearer ${plainToken}` });
    return { ...built, clients: [client, other] };
  }

  async function newSeen(owner: Owner, { path: target }: DocumentedOperation): Promise<Seen> {
    const [begin, ...others] = owner.clients as [Client, ...Client[]];
    const { uuid, path } = await createDraft(begin, owner);
    const idOf = async (answer: Promise<Answer>) => (await answer).body.data;
    const record =
      target.includes('{id}') && (await idOf(begin.post(`${path}/records`, { entity: 'receipt' })));
    const file =
      target.includes('{file}') &&
      (await idOf(begin.post(`${path}/files`, announcementOf(Buffer.from('x')))));
    // The value has a `field_code`, so that the instance has to look up the form of the submission.
    const values = [{ field_code: 'name', value: 'Ada' }];
    for (const client of [begin, ...others])
      expect((await client.post(`${path}/values`, { values })).status).toBe(200);
    return { uuid, recordId: record?.id, fileUuid: file?.uuid };
  }

  const sql = (text: string, values: unknown[]) => use.database.dataSource.query(text, values);

  const isOfValues = ([{ path }]: (typeof REQUESTS)[number]) => path.endsWith('/values');

  it.each<[string, typeof REQUESTS, (owner: Owner, uuid: string) => Promise<unknown>]>([
    [
      'deleted by the first instance',
      REQUESTS.filter(isOfValues),
      ({ clients }, uuid) => clients[0]!.delete(`/api/v1/submissions/${uuid}`),
    ],
    ['deleted by SQL', REQUESTS, (_, uuid) => sql('delete from submissions where uuid = $1', [uuid])],
    [
      'given to another user (S1)',
      OF_A_SUBMISSION.map((operation) => [operation, operation.body]),
      async (_, uuid) =>
        sql('update submissions set user_id = $2 where uuid = $1', [uuid, (await newUser(use)).id]),
    ],
  ])('a submission that was %s is 404 on the routes of both instances', async (_, requests, remove) => {
    const owner = await newOwner();
    for (const [operation, body] of requests) {
      // One submission per request, because an instance evicts a submission after the first 404.
      const seen = await newSeen(owner, operation);
      await remove(owner, seen.uuid);
      for (const client of owner.clients) {
        const answer = await send(client, operation, body, seen);
        expect([operation.route, body, answer.status]).toEqual([operation.route, body, 404]);
        expectRefusal(answer, 404, GONE);
      }
    }
  });

  it('a submission that was moved to another form accepts the fields of that form', async () => {
    const owner = await newOwner();
    const { form } = await buildForm(use.database.dataSource, { steps: [{ other: {}, name: {} }] });
    for (const code of ['other', 'name']) {
      const { uuid, path } = await createDraft(owner.clients[0]!, owner);
      const store = (field_code: string): Promise<Answer> =>
        owner.clients[0]!.post(`${path}/values`, { values: [{ field_code, value: 'x' }] });
      await sql('update submissions set form_id = $2 where uuid = $1', [uuid, form.id]);
      expect([code, (await store(code)).status]).toEqual([code, 200]);
    }
  });

  it('a submission that was moved to another form gets records of the entity of that form with the same name', async () => {
    const owner = await newOwner();
    const other = await newOwner();
    const { uuid, path } = await createDraft(owner.clients[0]!, owner);
    await sql('update submissions set form_id = $2 where uuid = $1', [uuid, other.form.id]);
    const { status, body } = await owner.clients[0]!.post(`${path}/records`, { entity: 'receipt' });
    expect([status, body.data?.entity]).toEqual([201, 'receipt']);
  });

  it('a submission that was moved to another form is completed by the rules of that form', async () => {
    const owner = await newOwner();
    const strict = await buildForm(use.database.dataSource, { steps: [{ must: {} }] });
    await sql("update forms set completion = 'strict' where id = $1", [strict.form.id]);
    await sql('update fields set is_required = true where form_id = $1', [strict.form.id]);
    const [client] = owner.clients as [Client];
    const patch = (path: string) => client.send('PATCH', path, JSON.stringify({ status: 'completed' }));
    const first = await createDraft(client, owner);
    expect((await patch(first.path)).status).toBe(200);
    const { uuid, path } = await createDraft(client, owner);
    await sql('update submissions set form_id = $2 where uuid = $1', [uuid, strict.form.id]);
    expect((await patch(path)).body.errors).toHaveProperty('must');
  });

  it('a request for an existing submission needs only one statement', async () => {
    const { client, path } = await newDraft(use, [{ name: {}, cv: { type: 'file' } }]);
    const names = async (work: () => Promise<unknown>) =>
      (await use.service.statementsDuring(work)).map(({ name }) => name);
    const values = [{ field_code: 'name', value: 'Ada' }];
    expect((await client.get(`${path}/conditions`)).status).toBe(200);
    expect(await names(() => client.post(`${path}/values`, { values }))).toEqual([
      isOneServer ? 'submissions.store_values' : 'submissions.store_values.on_shard',
    ]);
    if (!isOneServer) return;
    expect(await names(() => client.get(`${path}/files`))).toEqual(['files.list']);
    const { body } = await client.post(`${path}/files`, announcementOf(Buffer.from('x')));
    expect(await names(() => client.get(`${path}/files/${body.data.uuid}`))).toEqual(['files.find']);
  });
});
