import { etagOf } from '../support/answers.js';
import type { Answer, Client } from '../support/client.js';
import { createDraft } from '../support/drafts.js';
import { buildRecords, type BuiltForm } from '../support/forms.js';
import { isOneServer } from '../support/it-on-one-server.js';
import { type DocumentedOperation, OF_A_SUBMISSION } from '../support/operations.js';
import { expectInvalid, expectRefusal } from '../support/refusal.js';
import { newRespondent, publicForm } from '../support/respondents.js';
import { newUser, useOwnService } from '../support/service.js';
import { asAnotherProgram } from '../support/test-server.js';
import { wholeDatabase } from '../support/whole-database.js';

const UNKNOWN = '01890000-0000-7000-8000-000000000001';

const use = useOwnService();

/** Someone with a token, and the form whose submissions they begin. */
interface Person extends BuiltForm {
  readonly id: number;
  readonly client: Client;
}

const newForm = () =>
  publicForm(use, {
    form: isOneServer ? {} : { access: 'token' },
    steps: [{ name: {}, note: { isRepeatable: true } }, {}],
  });
const user = async (built: BuiltForm): Promise<Person> => ({ ...built, ...(await newUser(use)) });
const respondent = async (built: BuiltForm): Promise<Person> => ({
  ...built,
  ...(await newRespondent(use, built)),
});

/** The owner of a submission and a stranger. */
const PAIRS = {
  'two users': async () => {
    const form = await newForm();
    return [await user(form), await user(form)];
  },
  'two respondents of a form': async () => {
    const form = await newForm();
    return [await respondent(form), await respondent(form)];
  },
  'two respondents of different forms': async () => [
    await respondent(await newForm()),
    await respondent(await newForm()),
  ],
  'a respondent, and a user as the stranger': async () => {
    const form = await newForm();
    return [await respondent(form), await user(form)];
  },
  'a user, and a respondent as the stranger': async () => {
    const form = await newForm();
    return [await user(form), await respondent(form)];
  },
} satisfies Record<string, () => Promise<readonly [Person, Person]>>;

/** Everything that a client sees of a response, except headers that differ between any two requests. */
function seen({ status, headers, body }: Answer) {
  return {
    status,
    body,
    headers: [...headers].filter(
      ([name]) => !['date', 'x-request-id', 'x-ratelimit-remaining'].includes(name),
    ),
  };
}

/** Proves for each pair that the stranger neither reads nor changes anything of the owner, nor learns that it exists (S1). */
export const proveSeparation = (...pairs: readonly (keyof typeof PAIRS)[]) => {
  // Citus has no respondents.
  describe.each(isOneServer ? pairs : (['two users'] as const))('%s', separate);
};

function separate(pair: keyof typeof PAIRS) {
  let owner: Person & { readonly uuid: string; readonly path: string };
  let ownersRecord: number;
  let stranger: Person;

  beforeAll(async () => {
    const [first, second] = await PAIRS[pair]();
    stranger = second;
    owner = { ...first, ...(await createDraft(first.client, first)) };
    const values = [{ field_code: 'name', value: 'Ada' }];
    expect((await owner.client.post(`${owner.path}/values`, { values })).status).toBe(200);
    [ownersRecord] = (await buildRecords(use.database.dataSource, owner.form.id, owner.uuid, 1)) as [number];
  });

  function ask(
    { method, path, body = {} }: DocumentedOperation,
    uuid: string,
    headers: Record<string, string>,
  ): Promise<Answer> {
    const { client } = stranger;
    const target = path
      .replace('{uuid}', uuid)
      .replace('{id}', String(ownersRecord))
      .replace('{file}', UNKNOWN);
    return method === 'GET'
      ? client.get(target, headers)
      : client.send(method, target, JSON.stringify(body), headers);
  }

  describe.each(OF_A_SUBMISSION)('the route $route', (operation) => {
    it("responds for another user's submission exactly as for an unknown one, and changes and locks nothing", async () => {
      const before = await wholeDatabase(use.database.dataSource);
      const lockOf = () =>
        use.database.dataSource.query('select xmax::text from submissions where uuid = $1', [owner.uuid]);
      const lockedBefore = await lockOf();
      const etag = etagOf(await owner.client.get(owner.path));
      const headersToTry = [{}, { 'If-Match': etag }, { 'If-Match': '"x"' }, { 'Idempotency-Key': 'k' }];
      for (const headers of headersToTry as Record<string, string>[]) {
        const unknown = await ask(operation, UNKNOWN, headers);
        expectRefusal(unknown, 404, { message: 'Submission not found.' });
        for (const uuid of [owner.uuid, owner.uuid.toUpperCase()]) {
          const foreign = await ask(operation, uuid, headers);
          expect(seen(foreign)).toEqual(seen(unknown));
        }
      }
      expect(await wholeDatabase(use.database.dataSource)).toEqual(before);
      expect(await lockOf()).toEqual(lockedBefore);
    });

    it("sends the same statements for another user's submission as for an unknown one", async () => {
      for (const headers of [{}, { 'Idempotency-Key': 'k' }] as Record<string, string>[]) {
        const namesFor = async (uuid: string) =>
          (await use.service.statementsDuring(() => ask(operation, uuid, headers))).map(({ name }) => name);
        const forUnknown = await namesFor(UNKNOWN);
        expect(forUnknown).not.toEqual([]);
        // After a request of the owner, the instance may have cached the submission.
        await owner.client.post(`${owner.path}/values`, { values: [] });
        expect(await namesFor(owner.uuid)).toEqual(forUnknown);
        expect(await namesFor(owner.uuid)).toEqual(forUnknown);
      }
    });
  });

  it('a value cannot be stored in a record of another submission', async () => {
    const own = { client: stranger.client, ...(await createDraft(stranger.client, stranger)) };
    const before = await wholeDatabase(use.database.dataSource);
    const store = (id: number) =>
      own.client.post(`${own.path}/values`, {
        values: [{ field_code: 'note', value: 'mine', entity_record_id: id }],
      });
    const foreign = await store(ownersRecord);
    expectInvalid(foreign, 'values.0.entity_record_id');
    expect(seen(foreign)).toEqual(seen(await store(2_000_000_000)));
    expect(await wholeDatabase(use.database.dataSource)).toEqual(before);
  });

  describe("another user's Idempotency-Key", () => {
    const create = ({ client, form }: Person, key: string) =>
      client.post('/api/v1/submissions', { form_uuid: form.uuid }, { 'Idempotency-Key': key });

    it('reveals no stored response and blocks no request', async () => {
      const owners = await create(owner, 'shared');
      const strangers = await create(stranger, 'shared');
      expect([owners.status, strangers.status]).toEqual([201, 201]);
      expect(strangers.body.data.uuid).not.toBe(owners.body.data.uuid);
      // Each response is stored for its own user.
      expect((await create(owner, 'shared')).body).toEqual(owners.body);
      expect((await create(stranger, 'shared')).body).toEqual(strangers.body);
      // A key that another user has used for a different request causes no 422.
      await owner.client.post(`${owner.path}/advance`, undefined, { 'Idempotency-Key': 'other' });
      expect((await create(stranger, 'other')).status).toBe(201);
    });

    it('can be in use at the same time', async () => {
      await asAnotherProgram(use.database.connection, async (program) => {
        await program.query('begin');
        const lock = `idempotency ${owner.id} running`;
        await program.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [lock]);
        expect((await create(owner, 'running')).status).toBe(409);
        expect((await create(stranger, 'running')).status).toBe(201);
        await program.query('rollback');
      });
    });
  });

  it("a list contains the user's own submissions only", async () => {
    const uuids = async ({ client }: Person) =>
      (await client.get('/api/v1/submissions?per_page=100')).body.data.map(
        ({ uuid }: { uuid: string }) => uuid,
      );
    const own = await createDraft(stranger.client, stranger);
    expect(await uuids(stranger)).toContain(own.uuid);
    expect(await uuids(stranger)).not.toContain(owner.uuid);
    expect(await uuids(owner)).toContain(owner.uuid);
    expect(await uuids(owner)).not.toContain(own.uuid);
    const filtered = await stranger.client.get(
      `/api/v1/submissions?form_uuid=${owner.form.uuid}&per_page=100`,
    );
    expect(JSON.stringify(filtered.body)).not.toContain(owner.uuid);
  });
}
