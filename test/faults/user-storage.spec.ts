import { issueToken, User } from '../../src/entities.js';
import { client, type Client } from '../support/client.js';
import { announcementOf, filesFolder } from '../support/files.js';
import { onOneServer as describe } from '../support/it-on-one-server.js';
import { type RunningService, startOn, useFaults } from './support/use-service.js';

const SUBMISSIONS = 250_000;
const VALUES_OF_EACH = 4;
/** The bytes of a value, so that all values together fill the limit of text. */
const VALUE = 64;
const MIB = (SUBMISSIONS * VALUES_OF_EACH * VALUE) / 2 ** 20;

describe('a user with a million values and 250,000 files (V9)', () => {
  const use = useFaults();
  const storage = filesFolder();
  let service: RunningService;
  let large: Client;
  let small: Client;

  beforeAll(async () => {
    const { manager } = use.database.dataSource;
    const tokens: string[] = [];
    for (const email of ['large@example.org', 'small@example.org']) {
      const user = await manager.save(manager.create(User, { email }));
      tokens.push((await issueToken(manager, { userId: user.id })).plainToken);
    }
    const { form, fields } = use.built;
    await manager.query(
      `insert into submissions (uuid, form_id, user_id)
       select gen_random_uuid(), $1, users.id from users, generate_series(1, $2) where email = 'large@example.org'`,
      [form.id, SUBMISSIONS],
    );
    await manager.query(
      `insert into fields (form_id, step_id, field_type_id, code, label)
       select $1::integer, step_id, field_type_id, 'more_' || number, 'More' from fields, generate_series(1, $2) number where id = $3
       union all select $1::integer, step_id, field_types.id, 'cv', 'CV' from fields, field_types
        where fields.id = $3 and field_types.name = 'file'`,
      [form.id, VALUES_OF_EACH, fields.name!.id],
    );
    await manager.query(
      `insert into submission_values (submission_uuid, form_id, field_id, is_repeatable, value)
       select submissions.uuid, form_id, fields.id, false, repeat('x', $2)
         from submissions join fields using (form_id) where form_id = $1 and code like 'more%'`,
      [form.id, VALUE],
    );
    await manager.query(
      `insert into files (uuid, submission_uuid, form_id, field_id, name, size, media_type, sha256)
       select gen_random_uuid(), submissions.uuid, form_id, fields.id, 'a', 4096, 'text/plain', sha256('')
         from submissions join fields using (form_id) where form_id = $1 and code = 'cv'`,
      [form.id],
    );
    await manager.query('analyze');
    service = await startOn(use, {
      USER_STORAGE: `${Math.floor((SUBMISSIONS * 4096) / 2 ** 20)},${Math.floor(MIB)}`,
      FILES_URL: storage.url,
      DATABASE_POOL_SIZE: '4',
      THROTTLE_USER_LIMIT: '0',
    });
    [large, small] = tokens.map((token) => client(service.url, { Authorization: `Bearer ${token}` })) as [
      Client,
      Client,
    ];
  }, 600_000);
  afterAll(() => storage.remove());

  const begin = async (own: Client) => {
    const { status, body } = await own.post('/api/v1/submissions', { form_uuid: use.built.form.uuid });
    expect(status).toBe(201);
    return `/api/v1/submissions/${body.data.uuid as string}`;
  };

  it('gets 422 with the name of the limit as fast as a user with nothing gets an answer, and nobody gets 503', async () => {
    const drafts = { large: await begin(large), small: await begin(small) };
    const store = (own: Client, path: string) =>
      own.post(`${path}/values`, { values: [{ field_code: 'more_1', value: 'x'.repeat(1_000) }] });
    const announce = (own: Client, path: string) =>
      own.post(`${path}/files`, announcementOf(Buffer.alloc(0), { size: 2 ** 20 }));
    const timed = async (work: () => Promise<unknown>) => {
      const startedAt = performance.now();
      await work();
      return performance.now() - startedAt;
    };
    const times = { large: [] as number[], small: [] as number[] };
    for (let turn = 0; turn < 20; turn += 1) {
      times.large.push(
        await timed(async () => {
          const limits = [
            [await store(large, drafts.large), 'values', 'All submissions of this user'],
            [await announce(large, drafts.large), 'size', 'All files of this user'],
          ] as const;
          for (const [{ status, body }, field, text] of limits)
            expect([status, body.errors]).toEqual([422, { [field]: [expect.stringContaining(text)] }]);
        }),
      );
      times.small.push(
        await timed(async () => {
          expect((await store(small, drafts.small)).status).toBe(200);
          // Ten files of a field are the most, so this call is 422 in the end.
          expect([201, 422]).toContain((await announce(small, drafts.small)).status);
        }),
      );
    }
    const median = (all: number[]) => all.toSorted((one, other) => one - other)[10]!;
    expect(median(times.large) / median(times.small)).toBeLessThan(5);

    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, at) =>
        at % 2 === 0 ? store(large, drafts.large) : store(small, drafts.small),
      ),
    );
    expect(new Set(answers.map(({ status }, at) => `${at % 2} ${status}`))).toEqual(
      new Set(['0 422', '1 200']),
    );
  });
});
