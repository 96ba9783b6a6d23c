import { randomUUID } from 'node:crypto';
import { Submission } from '../../src/entities.js';
import { etagOf, expectUnauthenticated, TIMESTAMP } from '../support/answers.js';
import type { Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { buildForm } from '../support/forms.js';
import { expectInvalid, expectRefusal } from '../support/refusal.js';
import { newUser, startService, useService } from '../support/service.js';

const PATH = '/api/v1/submissions';
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('POST /api/v1/submissions', () => {
  const use = useService();

  const submissionsOf = (userId: number) =>
    use.database.dataSource.manager.find(Submission, { where: { userId }, order: { uuid: 'asc' } });

  it('creates a draft at step 1 and returns its Location and ETag', async () => {
    const { client } = await newUser(use);
    const { form } = await buildForm(use.database.dataSource);

    const answer = await client.post(PATH, { form_uuid: form.uuid });

    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      data: {
        uuid: expect.stringMatching(UUID_V7),
        form_id: form.id,
        status: 'draft',
        current_step: 1,
        meta: null,
        created_at: expect.stringMatching(TIMESTAMP),
        updated_at: expect.stringMatching(TIMESTAMP),
        is_test: false,
        begun_version: form.version,
        completed_version: null,
      },
      form_version: form.version,
    });
    expect(answer.headers.get('location')).toBe(
      `${use.service.url}/api/v1/submissions/${answer.body.data.uuid}`,
    );
    expect(answer.headers.get('etag')).toBe(`"${answer.body.data.updated_at}"`);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it('stores the submission for the user of the token (S1)', async () => {
    const user = await newUser(use);
    const { form } = await buildForm(use.database.dataSource);

    const { body } = await user.client.post(PATH, { form_uuid: form.uuid });

    expect(await submissionsOf(user.id)).toEqual([
      expect.objectContaining({
        uuid: body.data.uuid,
        formId: form.id,
        userId: user.id,
        status: 'draft',
        currentStep: 1,
        meta: null,
      }),
    ]);
    const other = await newUser(use);
    expectRefusal(await other.client.get(`${PATH}/${body.data.uuid}`), 404);
  });

  it('returns a Location below PUBLIC_URL if it is set (F3)', async () => {
    const service = await startService(use.database, { PUBLIC_URL: 'https://forms.example.org/base' });
    try {
      const { client } = await newUser({ ...use, service });
      const { form } = await buildForm(use.database.dataSource);

      const answer = await client.post(PATH, { form_uuid: form.uuid });

      expect(answer.headers.get('location')).toBe(
        `https://forms.example.org/base/api/v1/submissions/${answer.body.data.uuid}`,
      );
    } finally {
      await service.close();
    }
  });

  it('creates a submission with a new UUID on each call', async () => {
    const user = await newUser(use);
    const { form } = await buildForm(use.database.dataSource);

    const first = await user.client.post(PATH, { form_uuid: form.uuid });
    const second = await user.client.post(PATH, { form_uuid: form.uuid });

    expect([first.status, second.status]).toEqual([201, 201]);
    const stored = (await submissionsOf(user.id)).map(({ uuid }) => uuid);
    expect(stored).toEqual([first.body.data.uuid, second.body.data.uuid]);
  });

  it('accepts form_uuid in any letter case (F6)', async () => {
    const { client } = await newUser(use);
    const { form } = await buildForm(use.database.dataSource, {
      form: { uuid: 'fedcba98-7654-4321-abcd-ef0123456789' },
    });

    const answer = await client.post(PATH, { form_uuid: form.uuid.toUpperCase() });

    expect(answer.status).toBe(201);
    expect(answer.body.data.form_id).toBe(form.id);
  });

  it('creates a submission at step 1 even if the form has no steps', async () => {
    const { client } = await newUser(use);
    const { form } = await buildForm(use.database.dataSource, { steps: [] });

    const answer = await client.post(PATH, { form_uuid: form.uuid });

    expect(answer.status).toBe(201);
    expect(answer.body.data.current_step).toBe(1);
  });

  it.each([
    ['missing', '{}'],
    ['under another name only', '{"formUuid":"00000000-0000-4000-8000-000000000000"}'],
    ['null', '{"form_uuid":null}'],
    ['a number', '{"form_uuid":1}'],
    ['a boolean', '{"form_uuid":true}'],
    ['an array', '{"form_uuid":[]}'],
    ['an array of one UUID', '{"form_uuid":["00000000-0000-4000-8000-000000000000"]}'],
    ['an object', '{"form_uuid":{"toString":"x","length":36}}'],
    ['empty', '{"form_uuid":""}'],
    ['malformed', '{"form_uuid":"abc"}'],
    ['too long', `{"form_uuid":"${'0'.repeat(100_000)}"}`],
    ['one with U+0000 (V10)', '{"form_uuid":"00000000-0000-4000-8000-00000000000\\u0000"}'],
    ['one with a lone surrogate (V10)', '{"form_uuid":"\\ud800"}'],
    ['unknown', '{"form_uuid":"00000000-0000-4000-8000-000000000000"}'],
    [
      'only in the prototype of the body',
      '{"__proto__":{"form_uuid":"00000000-0000-4000-8000-000000000000"}}',
    ],
  ])('rejects a form_uuid that is %s, under form_uuid (S2)', async (_, body) => {
    const user = await newUser(use);

    expectInvalid(await user.client.send('POST', PATH, body), 'form_uuid');
    expect(await submissionsOf(user.id)).toEqual([]);
  });

  it("rejects other notations of the form's UUID, and its slug, under form_uuid (S2)", async () => {
    const { client } = await newUser(use);
    const { form } = await buildForm(use.database.dataSource);

    for (const text of [`{${form.uuid}}`, form.uuid.replaceAll('-', ''), ` ${form.uuid}`, `${form.uuid}\n`]) {
      expectInvalid(await client.post(PATH, { form_uuid: text }), 'form_uuid');
    }
    expectInvalid(await client.post(PATH, { form_uuid: form.slug }), 'form_uuid');
  });

  it('rejects an inactive form under form_uuid, and accepts it once it is active (S2, F4)', async () => {
    const user = await newUser(use);
    const { form } = await buildForm(use.database.dataSource, { form: { isActive: false } });

    expectInvalid(await user.client.post(PATH, { form_uuid: form.uuid }), 'form_uuid');
    expect(await submissionsOf(user.id)).toEqual([]);

    await use.database.dataSource.query(`update forms set is_active = true where id = $1`, [form.id]);
    await seesForm(form.uuid, true);
    expect((await user.client.post(PATH, { form_uuid: form.uuid })).status).toBe(201);
  });

  it('still accepts writes to existing drafts after their form becomes inactive (F4)', async () => {
    const { client } = await newUser(use);
    const { form, fields } = await buildForm(use.database.dataSource, { steps: [{ name: {} }, {}] });
    const { body } = await client.post(PATH, { form_uuid: form.uuid });
    const path = `${PATH}/${body.data.uuid}`;
    await use.database.dataSource.query(`update forms set is_active = false where id = $1`, [form.id]);
    await seesForm(form.uuid, false);

    const values = [{ field_id: fields['name']?.id, value: 'Ada' }];
    expect((await client.post(`${path}/values`, { values })).status).toBe(200);
    expect((await client.post(`${path}/advance`)).status).toBe(200);
    expect((await client.post(`${path}/retreat`)).status).toBe(200);
    expect((await client.get(`${path}/conditions`)).status).toBe(200);
    expect((await client.patch(path, { status: 'completed' })).status).toBe(200);
  });

  it('ignores unknown properties, including __proto__ and constructor (E8)', async () => {
    const { client } = await newUser(use);
    const { form } = await buildForm(use.database.dataSource);
    const more = [
      '"status":"completed"',
      '"current_step":9',
      '"meta":{"a":1}',
      '"user_id":1',
      '"uuid":"00000000-0000-4000-8000-000000000000"',
      '"__proto__":{"form_uuid":"x","isAdmin":true}',
      '"constructor":{"prototype":{"form_uuid":"x"}}',
      '"toString":null',
      '"hasOwnProperty":1',
      '"then":"x"',
    ].join();

    const answer = await client.send('POST', PATH, `{"form_uuid":"${form.uuid}",${more}}`);

    expect(answer.status).toBe(201);
    expect(answer.body.data).toMatchObject({
      form_id: form.id,
      status: 'draft',
      current_step: 1,
      meta: null,
    });
    expect(({} as Record<string, unknown>)['isAdmin']).toBeUndefined();
  });

  it.each(['[]', '"text"', '1', 'true', 'null', '[{"form_uuid":"00000000-0000-4000-8000-000000000000"}]'])(
    'rejects the body %s, which is not an object, under body (E1)',
    async (text) => {
      const { client } = await newUser(use);

      expectInvalid(await client.send('POST', PATH, text), 'body');
    },
  );

  it.each(['', ' '])('rejects an empty body (%j)', async (text) => {
    const { client } = await newUser(use);

    const answer = await client.send('POST', PATH, text);

    expect([400, 422]).toContain(answer.status);
    expect(answer.body.message).toMatch(/./);
  });

  it.each(['{', '{"form_uuid":}', "{'form_uuid':1}", '{"form_uuid":"a\u0001"}', 'form_uuid=x', '\ufeff{}'])(
    'returns 400 for a body that is not JSON: %j (E2)',
    async (text) => {
      const { client } = await newUser(use);

      expectRefusal(await client.send('POST', PATH, text), 400);
    },
  );

  it('creates nothing without a valid token (A5)', async () => {
    const { form } = await buildForm(use.database.dataSource);

    expectUnauthenticated(await use.service.anyone.post(PATH, { form_uuid: form.uuid }));
    expectUnauthenticated(
      await use.service.anyone.post(PATH, { form_uuid: form.uuid }, { Authorization: 'Bearer nonsense' }),
    );

    const { manager } = use.database.dataSource;
    expect(await manager.countBy(Submission, { formId: form.id })).toBe(0);
  });

  describe('with an Idempotency-Key (S10)', () => {
    const create = (client: Client, formUuid: string, key: string) =>
      client.post(PATH, { form_uuid: formUuid }, { 'Idempotency-Key': key });

    it('creates once and repeats the first response with its headers', async () => {
      const user = await newUser(use);
      const { form } = await buildForm(use.database.dataSource);

      const first = await create(user.client, form.uuid, 'key');
      const again = await create(user.client, form.uuid, 'key');

      expect([first.status, again.status]).toEqual([201, 201]);
      expect(again.body).toEqual(first.body);
      expect(etagOf(again)).toBe(etagOf(first));
      expect(again.headers.get('location')).toBe(first.headers.get('location'));
      expect(await submissionsOf(user.id)).toHaveLength(1);
    });

    it('repeats the first response even if the submission and its form have changed since', async () => {
      const { client } = await newUser(use);
      const { form } = await buildForm(use.database.dataSource);
      const first = await create(client, form.uuid, 'key');
      await client.patch(`${PATH}/${first.body.data.uuid}`, { status: 'completed', meta: { a: 1 } });
      await use.database.dataSource.query(`update forms set is_active = false where id = $1`, [form.id]);
      await seesForm(form.uuid, false);

      const again = await create(client, form.uuid, 'key');

      expect(again.status).toBe(201);
      expect(again.body).toEqual(first.body);
    });

    it('treats form_uuid in another letter case as the same request', async () => {
      const { client } = await newUser(use);
      const { form } = await buildForm(use.database.dataSource);

      const first = await create(client, form.uuid, 'key');
      const again = await create(client, form.uuid.toUpperCase(), 'key');

      expect(again.body).toEqual(first.body);
    });

    it('rejects the key with another request', async () => {
      const user = await newUser(use);
      const { form } = await buildForm(use.database.dataSource, { steps: [{}, {}] });
      const { form: other } = await buildForm(use.database.dataSource);
      const { body } = await create(user.client, form.uuid, 'key');

      for (const answer of [
        await create(user.client, other.uuid, 'key'),
        await user.client.post(`${PATH}/${body.data.uuid}/advance`, undefined, { 'Idempotency-Key': 'key' }),
      ]) {
        expect(answer.status).toBe(422);
        expect(answer.body).toMatchObject({ message: expect.stringMatching(/./) });
      }

      expect(await submissionsOf(user.id)).toEqual([expect.objectContaining({ currentStep: 1 })]);
    });

    it('creates again for another key, for another user, and without a key', async () => {
      const user = await newUser(use);
      const other = await newUser(use);
      const { form } = await buildForm(use.database.dataSource);

      const answers = [
        await create(user.client, form.uuid, 'key'),
        await create(user.client, form.uuid, 'KEY'),
        await create(other.client, form.uuid, 'key'),
        await user.client.post(PATH, { form_uuid: form.uuid }),
      ];

      expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
      expect(new Set(answers.map(({ body }) => body.data.uuid)).size).toBe(4);
    });

    it('does not store an error: the request succeeds with its key once the cause is gone', async () => {
      const user = await newUser(use);
      const { form } = await buildForm(use.database.dataSource, { form: { isActive: false } });
      expectInvalid(await create(user.client, form.uuid, 'key'), 'form_uuid');
      expectInvalid(await create(user.client, randomUUID(), 'key'), 'form_uuid');

      await use.database.dataSource.query(`update forms set is_active = true where id = $1`, [form.id]);
      await seesForm(form.uuid, true);

      expect((await create(user.client, form.uuid, 'key')).status).toBe(201);
      expect(await submissionsOf(user.id)).toHaveLength(1);
    });

    it.each([
      ['1 character', 'a'],
      ['255 characters', 'k'.repeat(255)],
      [
        'every printable character',
        Array.from({ length: 94 }, (_, at) => String.fromCharCode(0x21 + at)).join(''),
      ],
    ])('accepts a key of %s', async (_, key) => {
      const { client } = await newUser(use);
      const { form } = await buildForm(use.database.dataSource);

      const first = await create(client, form.uuid, key);
      expect(first.status).toBe(201);
      expect((await create(client, form.uuid, key)).body).toEqual(first.body);
    });

    it.each([
      ['256 characters', 'k'.repeat(256)],
      ['no character', ''],
      ['a tab in it', 'a\tb'],
      ['a letter that is not ASCII', 'é'],
    ])('rejects a key with %s and creates nothing', async (_, key) => {
      const user = await newUser(use);
      const { form } = await buildForm(use.database.dataSource);

      const answer = await create(user.client, form.uuid, key);

      expect(answer.status).toBe(422);
      expect(answer.body).toMatchObject({ message: 'The given data was invalid.' });
      expect(await submissionsOf(user.id)).toEqual([]);
    });
  });

  /** Waits until the instance serves the change, which takes milliseconds (F9). */
  async function seesForm(uuid: string, isActive: boolean): Promise<void> {
    await eventually('the change is served', async () => {
      const { body } = await use.service.anyone.get(`/api/v1/forms/${uuid}`);
      return body.data.is_active === isActive;
    });
  }
});
