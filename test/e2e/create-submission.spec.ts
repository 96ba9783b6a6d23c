import { Submission } from '../../src/entities.js';
import { expectUnauthenticated, TIMESTAMP } from '../support/answers.js';
import { buildForm, type BuiltForm } from '../support/forms.js';
import { expectInvalid, expectRefusal } from '../support/refusal.js';
import { newUser, useService } from '../support/service.js';

const PATH = '/api/v1/submissions';
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('POST /api/v1/submissions', () => {
  const use = useService();
  let built: BuiltForm;
  let user: Awaited<ReturnType<typeof newUser>>;
  beforeAll(async () => {
    built = await buildForm(use.database.dataSource, { steps: [{ name: {} }, {}] });
  });
  beforeEach(async () => {
    user = await newUser(use);
  });

  const submissionsOf = (userId: number) =>
    use.database.dataSource.manager.find(Submission, { where: { userId }, order: { uuid: 'asc' } });
  const setActive = (id: number, isActive: boolean) =>
    use.service.hearing(() =>
      use.database.dataSource.query('update forms set is_active = $2 where id = $1', [id, isActive]),
    );

  it('creates a draft at step 1, of the user, and returns its Location and ETag (S1)', async () => {
    const { form } = built;
    const answer = await user.client.post(PATH, { form_uuid: form.uuid });

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
        locale: null,
        anonymized_at: null,
      },
      form_version: form.version,
    });
    const { uuid, updated_at } = answer.body.data;
    expect(answer.headers.get('location')).toBe(`${use.service.url}${PATH}/${uuid}`);
    expect(answer.headers.get('etag')).toBe(`"${updated_at}"`);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const stored = { uuid, formId: form.id, status: 'draft', currentStep: 1, meta: null };
    expect(await submissionsOf(user.id)).toMatchObject([stored]);
    expectRefusal(await (await newUser(use)).client.get(`${PATH}/${uuid}`), 404);

    const second = await user.client.post(PATH, { form_uuid: form.uuid });
    expect((await submissionsOf(user.id)).map((one) => one.uuid)).toEqual([uuid, second.body.data.uuid]);
  });

  it('accepts form_uuid in any letter case (F6), and a form without steps', async () => {
    const { form } = await buildForm(use.database.dataSource, { steps: [] });
    const { status, body } = await user.client.post(PATH, { form_uuid: form.uuid.toUpperCase() });
    expect([status, body.data.form_id, body.data.current_step]).toEqual([201, form.id, 1]);
  });

  it.each([
    ['missing', '{}'],
    ['null', '{"form_uuid":null}'],
    ['a number', '{"form_uuid":1}'],
    ['an array of one UUID', '{"form_uuid":["00000000-0000-4000-8000-000000000000"]}'],
    ['an object', '{"form_uuid":{"toString":"x","length":36}}'],
    ['empty', '{"form_uuid":""}'],
    ['malformed', '{"form_uuid":"abc"}'],
    ['too long', `{"form_uuid":"${'0'.repeat(100_000)}"}`],
    ['one with U+0000 (V10)', '{"form_uuid":"00000000-0000-4000-8000-00000000000\\u0000"}'],
    ['unknown', '{"form_uuid":"00000000-0000-4000-8000-000000000000"}'],
    ['only in the prototype', '{"__proto__":{"form_uuid":"00000000-0000-4000-8000-000000000000"}}'],
  ])('rejects a form_uuid that is %s, under form_uuid (S2)', async (_, body) => {
    expectInvalid(await user.client.send('POST', PATH, body), 'form_uuid');
    expect(await submissionsOf(user.id)).toEqual([]);
  });

  it("rejects other notations of the form's UUID, and its slug, under form_uuid (S2)", async () => {
    const { uuid, slug } = built.form;
    for (const text of [`{${uuid}}`, uuid.replaceAll('-', ''), ` ${uuid}`, `${uuid}\n`, slug])
      expectInvalid(await user.client.post(PATH, { form_uuid: text }), 'form_uuid');
  });

  it('rejects an inactive form under form_uuid, accepts it once it is active, and drafts go on (S2, F4)', async () => {
    const { client } = user;
    const { form } = await buildForm(use.database.dataSource, {
      form: { isActive: false },
      steps: [{ name: {} }, {}],
    });
    expectInvalid(await client.post(PATH, { form_uuid: form.uuid }), 'form_uuid');
    expect(await submissionsOf(user.id)).toEqual([]);
    await setActive(form.id, true);
    const { status, body } = await client.post(PATH, { form_uuid: form.uuid });
    expect(status).toBe(201);

    await setActive(form.id, false);
    const path = `${PATH}/${body.data.uuid}`;
    const values = [{ field_code: 'name', value: 'Ada' }];
    expect((await client.post(`${path}/values`, { values })).status).toBe(200);
    expect((await client.post(`${path}/advance`)).status).toBe(200);
    expect((await client.post(`${path}/retreat`)).status).toBe(200);
    expect((await client.get(`${path}/conditions`)).status).toBe(200);
    expect((await client.patch(path, { status: 'completed' })).status).toBe(200);
  });

  it('creates nothing without a valid token (A5)', async () => {
    const { form } = await buildForm(use.database.dataSource);
    const body = { form_uuid: form.uuid };
    expectUnauthenticated(await use.service.anyone.post(PATH, body));
    expectUnauthenticated(await use.service.anyone.post(PATH, body, { Authorization: 'Bearer nonsense' }));
    const { manager } = use.database.dataSource;
    expect(await manager.countBy(Submission, { formId: form.id })).toBe(0);
  });
});
