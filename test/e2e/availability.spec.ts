import { FIND_AVAILABILITY } from '../../src/capabilities/availability/availability.statements.js';
import type { Form } from '../../src/entities.js';
import { createDraft, newDraft, newDraftOf } from '../support/drafts.js';
import { complete, store } from '../support/draft-requests.js';
import { buildForm, type FieldPlan } from '../support/forms.js';
import { onOneServer } from '../support/it-on-one-server.js';
import { newPreview, newRespondent, publicForm } from '../support/respondents.js';
import { eventually } from '../support/eventually.js';
import { newUser, useService } from '../support/service.js';

const use = useService();
const query = <Row = never>(sql: string, values: readonly unknown[] = []) =>
  use.database.dataSource.query<Row[]>(sql, [...values]);

const HOUR = 3_600_000;
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR);
const PAST: Partial<Form> = { closesAt: inHours(-1) };

const begin = (own: { client: { post: typeof use.service.anyone.post } }, { uuid }: { uuid: string }) =>
  own.client.post('/api/v1/submissions', { form_uuid: uuid });

const problemOf = { Accept: 'application/problem+json' };
const refusedUnderForm = (code: string, params = {}) => ({
  status: 422,
  body: { errors: [expect.objectContaining({ field: 'form_uuid', code, params })] },
});

const CHOICE: FieldPlan = { type: 'radio', options: ['a', 'b'] };

/** Sets the places of options of a form, and waits until the service knows them. */
const setPlaces = (formId: number, places: number | null, values: readonly string[]) =>
  use.service.hearing(() =>
    query(
      `update options set places = $2 from fields where fields.id = field_id and form_id = $1 and value = any ($3)`,
      [formId, places, values],
    ),
  );
const setForm = (formId: number, sql: string) =>
  use.service.hearing(() => query(`update forms set ${sql} where id = $1`, [formId]));
const availability = async (uuid: string) => {
  const { body } = await use.service.anyone.get(`/api/v1/forms/${uuid}/availability`);
  return body.data;
};
const placesLeft = async (uuid: string) =>
  Object.fromEntries(
    (await availability(uuid)).options.map(({ value, places_left }: any) => [value, places_left]),
  );

onOneServer('opening times and limits', () => {
  it('are shown in the form, the list, the schema and each option (D1)', async () => {
    const { form } = await buildForm(use.database.dataSource, {
      form: {
        ...{ opensAt: new Date('2026-01-02T03:04:05Z'), closesAt: new Date('2036-01-02T03:04:05.678Z') },
        ...{ closesDrafts: true, maxSubmissions: 20, maxPerUser: 1 },
      },
      steps: [{ workshop: CHOICE }],
    });
    await setPlaces(form.id, 5, ['a']);
    const shown = {
      ...{ opens_at: '2026-01-02T03:04:05.000000Z', closes_at: '2036-01-02T03:04:05.678000Z' },
      ...{ closes_drafts: true, max_submissions: 20, max_per_user: 1 },
    };
    const { body } = await use.service.anyone.get(`/api/v1/forms/${form.uuid}`);
    expect(body.data).toMatchObject(shown);
    const schema = await use.service.anyone.get(`/api/v1/forms/${form.uuid}/schema`);
    expect(schema.body.data).toMatchObject(shown);
    expect(schema.body.data.steps[0].fields[0].options).toEqual([
      { label: 'a', value: 'a', order: 0, is_exclusive: false, places: 5 },
      { label: 'b', value: 'b', order: 1, is_exclusive: false, places: null },
    ]);
  });

  it.each([
    ['closes_at = opens_at', 'forms_opening_check'],
    [`closes_at = opens_at - interval '1 second'`, 'forms_opening_check'],
    [`opens_at = '-infinity'`, 'forms_opens_at_check'],
    [`closes_at = 'infinity'`, 'forms_closes_at_check'],
    [`closes_at = '10000-01-01Z'`, 'forms_closes_at_check'],
    ['max_submissions = 0', 'forms_max_submissions_check'],
    ['max_per_user = 0', 'forms_max_per_user_check'],
  ])('the database refuses %s', async (sql, constraint) => {
    const { form } = await buildForm(use.database.dataSource, { form: { opensAt: inHours(1) } });
    await expect(query(`update forms set ${sql} where id = $1`, [form.id])).rejects.toMatchObject({
      driverError: { constraint },
    });
  });
});

onOneServer('beginning a submission', () => {
  it.each<[code: string, form: Partial<Form>, param: 'opensAt' | 'closesAt', name: string]>([
    ['not_open_yet', { opensAt: inHours(1) }, 'opensAt', 'opens_at'],
    ['closed', PAST, 'closesAt', 'closes_at'],
  ])(
    'is 422 with %s outside of the opening time, and the time in params (D2)',
    async (code, plan, param, name) => {
      const { form } = await publicForm(use, { form: plan });
      const { client: user } = await newUser(use);
      const time = form[param]!.toISOString().replace('Z', '000Z');
      for (const [own, path] of [
        [user, '/api/v1/submissions'],
        [use.service.anyone, '/api/v1/respondents'],
      ] as const)
        expect(await own.post(path, { form_uuid: form.uuid }, problemOf)).toMatchObject(
          refusedUnderForm(code, { [name]: time }),
        );
    },
  );

  it('is possible from opens_at to closes_at, by the clock of the database', async () => {
    const { form } = await buildForm(use.database.dataSource, {
      form: { opensAt: inHours(-1), closesAt: inHours(1) },
    });
    const own = await newUser(use);
    expect((await begin(own, form)).status).toBe(201);
    await setForm(form.id, 'closes_at = now()');
    expect((await begin(own, form)).status).toBe(422);
    await setForm(form.id, 'opens_at = null, closes_at = null');
    expect((await begin(own, form)).status).toBe(201);
  });

  it('says first that the form is unknown or inactive, then what a respondent may not do (S2, P3)', async () => {
    const inactive = await buildForm(use.database.dataSource, { form: { ...PAST, isActive: false } });
    const { client: user } = await newUser(use);
    const refused = await user.post('/api/v1/submissions', { form_uuid: inactive.form.uuid }, problemOf);
    expect(refused.body.errors[0].code).toBe('inactive_form');
    const { form } = await publicForm(use);
    const respondent = await newRespondent(use, { form });
    for (let drafts = 0; drafts < 5; drafts += 1) expect((await begin(respondent, form)).status).toBe(201);
    await setForm(form.id, 'closes_at = now()');
    const sixth = await respondent.client.post('/api/v1/submissions', { form_uuid: form.uuid }, problemOf);
    expect(sixth.body.errors[0].code).toBe('too_many_drafts');
  });

  it('replays its first answer to a known Idempotency-Key', async () => {
    const { form } = await buildForm(use.database.dataSource, { form: { closesAt: inHours(1) } });
    const { client: user } = await newUser(use);
    const key = { 'Idempotency-Key': 'once' };
    const first = await user.post('/api/v1/submissions', { form_uuid: form.uuid }, key);
    await setForm(form.id, 'closes_at = now()');
    expect((await user.post('/api/v1/submissions', { form_uuid: form.uuid }, key)).body).toEqual(first.body);
  });

  it('is never refused for a test (P10)', async () => {
    const { form } = await buildForm(use.database.dataSource, {
      form: { ...PAST, closesDrafts: true, maxSubmissions: 1, maxPerUser: 1 },
    });
    const preview = await newPreview(use, { form });
    for (let count = 0; count < 2; count += 1) {
      const draft = await begin(preview, form);
      expect(draft.status).toBe(201);
      const own = { ...preview, path: `/api/v1/submissions/${draft.body.data.uuid}` };
      expect((await store(own, { name: 'Ada' })).status).toBe(200);
      expect((await complete(own)).status).toBe(200);
    }
    expect((await availability(form.uuid)).places_left).toBe(1);
  });
});

onOneServer('drafts of a form that has closed', () => {
  const steps: Record<string, FieldPlan>[] = [{ name: {} }, { email: {} }];

  it('go on by default (D3)', async () => {
    const draft = await newDraft(use, steps);
    await setForm(draft.form.id, 'closes_at = now()');
    expect((await store(draft, { name: 'Ada' })).status).toBe(200);
    expect((await complete(draft)).status).toBe(200);
  });

  it('can only be read and deleted with closes_drafts', async () => {
    const draft = await newDraftOf(use, {
      ...{ steps, form: { closesDrafts: true } },
      entities: [{ name: 'person', isRepeatable: true }],
    });
    const { client: user, path, uuid } = draft;
    const record = await user.post(`${path}/records`, { entity: 'person' });
    const etag = record.headers.get('etag')!;
    await setForm(draft.form.id, 'closes_at = now()');
    const writes: (() => Promise<{ status: number; body: unknown }>)[] = [
      () => user.post(`${path}/values`, { values: [{ field_code: 'name', value: 'Ada' }] }),
      () => user.post(`${path}/values`, { values: [] }),
      () => user.post(`${path}/advance`),
      () => user.post(`${path}/advance?validate=true`),
      () => user.post(`${path}/retreat`),
      () => user.post(`${path}/retreat?skip=hidden`),
      () => user.post(`${path}/records`, { entity: 'person' }),
      () => user.delete(`${path}/records/${record.body.data.id}`),
      () => user.patch(path, { meta: { a: 1 } }),
      () => user.patch(path, { status: 'completed' }),
    ];
    for (const [index, write] of writes.entries()) {
      const { status, body } = await write();
      expect([index, status, body]).toEqual([index, 422, { message: 'The form is closed.' }]);
    }
    const coded = await user.patch(path, { meta: {} }, problemOf);
    expect(coded.body).toMatchObject({ code: 'form_closed' });
    // 412 and 404 come first.
    expect((await user.patch(path, { meta: {} }, { 'If-Match': '"1"' })).status).toBe(412);
    expect((await user.post(`${path.slice(0, -1)}${path.endsWith('0') ? '1' : '0'}/advance`)).status).toBe(
      404,
    );
    const read = await user.get(path);
    expect([read.status, read.headers.get('etag')]).toEqual([200, etag]);
    expect((await user.get(`${path}/conditions`)).status).toBe(200);
    expect((await user.get(`${path}/validation`)).status).toBe(200);
    expect((await user.patch(path, {})).status).toBe(200);
    expect((await user.delete(path)).status).toBe(204);
    expect((await user.get(`/api/v1/submissions/${uuid}`)).status).toBe(404);
  });

  it('take no write of many clients that type while the form closes', async () => {
    const first = await newDraft(use, steps, { closesDrafts: true, closesAt: inHours(1) });
    const drafts = [first];
    while (drafts.length < 20) drafts.push({ ...first, ...(await createDraft(first.client, first)) });
    let isClosed = false;
    const late: number[] = [];
    const type = async ({ client: user, path }: (typeof drafts)[number]) => {
      for (let typed = 0; ; typed += 1) {
        const isLate = isClosed;
        const values = [{ field_code: 'name', value: String(typed) }];
        const { status, body } = await user.post(`${path}/values`, { values });
        if (isLate) late.push(status);
        if (status !== 200) return body;
      }
    };
    const typing = drafts.map(type);
    await eventually('values', async () => {
      const stored = await query('select from submission_values where form_id = $1', [first.form.id]);
      return stored.length === drafts.length;
    });
    await setForm(first.form.id, 'closes_at = now()');
    isClosed = true;
    const refused = await Promise.all(typing);
    expect(refused).toEqual(drafts.map(() => ({ message: 'The form is closed.' })));
    expect(late.filter((status) => status === 200)).toEqual([]);
    expect((await availability(first.form.uuid)).is_open).toBe(false);
  });

  it('stay as they are where they are completed (S3)', async () => {
    const draft = await newDraft(use, steps, { closesDrafts: true });
    await complete(draft);
    await setForm(draft.form.id, 'closes_at = now()');
    expect((await complete(draft)).status).toBe(200);
    expect((await draft.client.patch(draft.path, { meta: { a: 1 } })).status).toBe(200);
    const stored = await draft.client.post(`${draft.path}/values`, { values: [] });
    expect(stored.body).toEqual({ message: 'The submission is already completed.' });
  });
});

onOneServer('a form with a limit', () => {
  it('completes so many submissions, and says so where another is begun or completed (D4)', async () => {
    const { form, client: user, path } = await newDraft(use, [{ name: {} }], { maxSubmissions: 1 });
    const own = { client: user, path };
    const other = { client: user, ...(await createDraft(user, { form } as never)) };
    expect((await complete(own)).status).toBe(200);
    expect((await complete(own)).status).toBe(200);
    const full = await other.client.patch(other.path, { status: 'completed', meta: { a: 1 } });
    expect([full.status, full.body]).toEqual([422, { message: 'The form is full.' }]);
    const coded = await other.client.patch(other.path, { status: 'completed' }, problemOf);
    expect(coded.body).toMatchObject({ code: 'quota_reached', detail: 'The form is full.' });
    expect((await user.get(other.path)).body.data).toMatchObject({ status: 'draft', meta: null });
    expect(await user.post('/api/v1/submissions', { form_uuid: form.uuid }, problemOf)).toMatchObject(
      refusedUnderForm('quota_reached'),
    );
    expect((await availability(form.uuid)).places_left).toBe(0);
    await setForm(form.id, 'max_submissions = 2');
    expect((await complete(other)).status).toBe(200);
    await setForm(form.id, 'max_submissions = 1');
    expect((await availability(form.uuid)).places_left).toBe(0);
    await query('delete from submissions where form_id = $1', [form.id]);
    expect((await availability(form.uuid)).places_left).toBe(1);
  });

  it('counts what was completed before, and what other programs complete, reopen, move and delete', async () => {
    const before = await newDraft(use);
    await complete(before);
    const { form, client: user } = before;
    const own = { client: user, ...(await createDraft(user, before)) };
    await setForm(form.id, 'max_submissions = 5');
    const left = async () => (await availability(form.uuid)).places_left;
    expect(await left()).toBe(4);
    await query(`update submissions set status = 'completed' where uuid = $1`, [own.uuid]);
    expect(await left()).toBe(3);
    await query(`update submissions set is_test = true where uuid = $1`, [own.uuid]);
    expect(await left()).toBe(4);
    await query(`update submissions set is_test = false, status = 'draft' where uuid = $1`, [own.uuid]);
    expect(await left()).toBe(4);
    await query('delete from submissions where uuid = $1', [before.uuid]);
    expect(await left()).toBe(5);
  });

  it('lets nobody in who was judged before a limit was set', async () => {
    const draft = await newDraft(use);
    await complete(draft);
    const late = { client: draft.client, ...(await createDraft(draft.client, draft)) };
    const runner = use.database.dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query('update forms set max_submissions = 1 where id = $1', [draft.form.id]);
    const completing = complete(late);
    await eventually('the completion waits', async () => {
      const waiting = await query(`select from pg_locks where locktype = 'advisory' and not granted`);
      return waiting.length > 0;
    });
    await use.service.hearing(() => runner.commitTransaction());
    await runner.release();
    expect((await completing).status).toBe(503);
    expect((await complete(late)).body).toEqual({ message: 'The form is full.' });
  });

  it('completes so many submissions of a user (D5)', async () => {
    const { form, client: user, path } = await newDraft(use, undefined, { maxPerUser: 1 });
    const second = { client: user, ...(await createDraft(user, { form } as never)) };
    await complete({ client: user, path });
    const refused = await complete(second);
    expect([refused.status, refused.body]).toEqual([
      422,
      { message: 'You have answered this form already.' },
    ]);
    const coded = await user.patch(second.path, { status: 'completed' }, problemOf);
    expect(coded.body).toMatchObject({ code: 'already_answered' });
    expect(await user.post('/api/v1/submissions', { form_uuid: form.uuid }, problemOf)).toMatchObject(
      refusedUnderForm('already_answered'),
    );
    const another = await newUser(use);
    expect((await begin(another, form)).status).toBe(201);
  });

  it('completes exactly so many under parallel calls', async () => {
    const { form } = await buildForm(use.database.dataSource, {
      form: { maxSubmissions: 3 },
      steps: [{ workshop: CHOICE }],
    });
    await setPlaces(form.id, 2, ['a']);
    const drafts = await Promise.all(
      Array.from({ length: 12 }, async (_, index) => {
        const { client: user } = await newUser(use);
        const draft = { client: user, ...(await createDraft(user, { form } as never)) };
        await store(draft, { workshop: index < 8 ? 'a' : 'b' });
        return draft;
      }),
    );
    const answers = await Promise.all(drafts.map((draft) => complete(draft)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(
      await query(`select count(*)::int from submissions where form_id = $1 and status = 'completed'`, [
        form.id,
      ]),
    ).toEqual([{ count: 3 }]);
    const { a } = await placesLeft(form.uuid);
    const [{ held }] = (await query<{ held: number }>(
      `select count(*)::int as held from submission_values join submissions on uuid = submission_uuid
        where submissions.form_id = $1 and status = 'completed' and value = 'a'`,
      [form.id],
    )) as [{ held: number }];
    expect(2 - a).toBe(held);
    expect(held).toBeLessThanOrEqual(2);
  });
});

onOneServer('an option with places', () => {
  const twoDrafts = async (fields: Record<string, FieldPlan>, form: Partial<Form> = {}) => {
    const first = await newDraft(use, [fields], form);
    return [first, { ...first, ...(await createDraft(first.client, first)) }] as const;
  };

  it('is held by so many completed submissions, and refused under the key of its field (D6)', async () => {
    const [one, two] = await twoDrafts(
      { workshop: { ...CHOICE, label: 'Workshop' }, email: { type: 'email' } },
      { completion: 'strict' },
    );
    await setPlaces(one.form.id, 1, ['a']);
    await store(one, { workshop: 'a' });
    await store(two, { workshop: ' a ', email: 'nobody' });
    expect((await complete(one)).status).toBe(200);
    const refused = await two.client.patch(two.path, { status: 'completed' }, problemOf);
    expect(refused.body.errors.map(({ field, code, params }: any) => [field, code, params])).toEqual([
      ['email', 'not_an_email', {}],
      ['workshop', 'option_full', { value: 'a' }],
    ]);
    expect((await two.client.get(`${two.path}/validation`)).body.data.errors).not.toHaveProperty('workshop');
    await store(two, { workshop: 'b', email: '' });
    expect((await complete(two)).status).toBe(200);
    expect(await placesLeft(one.form.uuid)).toEqual({ a: 0 });
  });

  it('is refused by lenient completion too, before a full form is named', async () => {
    const [one, two] = await twoDrafts({ workshop: CHOICE }, { maxSubmissions: 1, completion: 'lenient' });
    await setPlaces(one.form.id, 1, ['a']);
    await store(one, { workshop: 'a' });
    await store(two, { workshop: 'a' });
    await complete(one);
    expect((await complete(two)).body.errors).toEqual({
      workshop: ['The workshop "a" has no places left.'],
    });
    await store(two, { workshop: 'b' });
    expect((await complete(two)).body).toEqual({ message: 'The form is full.' });
  });

  it('counts once for a submission, in however many records, and each record is refused', async () => {
    const plan = {
      steps: [{ workshop: { ...CHOICE, isRepeatable: true } }],
      entities: [{ name: 'person', isRepeatable: true, of: ['workshop'] }],
    };
    const one = await newDraftOf(use, plan);
    const two = { ...one, ...(await createDraft(one.client, one)) };
    await setPlaces(one.form.id, 1, ['a']);
    const recordsOf = async ({ client: user, path }: { client: typeof one.client; path: string }) => {
      const ids: number[] = [];
      for (let count = 0; count < 2; count += 1) {
        const { body } = await user.post(`${path}/records`, { entity: 'person' });
        const id = body.data.id as number;
        const value = { field_code: 'workshop', value: 'a', entity_record_id: id };
        await user.post(`${path}/values`, { values: [value] });
        ids.push(id);
      }
      return ids;
    };
    await recordsOf(one);
    const ids = await recordsOf(two);
    expect((await complete(one)).status).toBe(200);
    expect(await placesLeft(one.form.uuid)).toEqual({ a: 0 });
    expect(Object.keys((await complete(two)).body.errors).toSorted()).toEqual(
      ids.map((id) => `workshop.${id}`).toSorted(),
    );
  });

  it('is read from a list like completion reads it, also if it has commas', async () => {
    const options = ['red', 'grey, light', 'grey', 'blue'];
    const draft = await newDraft(use, [{ colours: { type: 'checkbox', options } }]);
    await setPlaces(draft.form.id, 3, options);
    await store(draft, { colours: 'blue, grey, light,red,red' });
    await complete(draft);
    // "grey, light" can also be read as an option and "light", which is none.
    expect(await placesLeft(draft.form.uuid)).toEqual({ red: 2, 'grey, light': 2, grey: 3, blue: 2 });
  });

  it('is not held where its field is hidden or retired', async () => {
    const draft = await newDraft(use, [
      {
        wants: {},
        workshop: { ...CHOICE, conditions: [['wants', 'equals', 'yes', 'show']] },
        old: { type: 'select', options: ['x'] },
      },
    ]);
    await setPlaces(draft.form.id, 2, ['a', 'x']);
    await store(draft, { wants: 'no', workshop: 'a', old: 'x' });
    await use.service.hearing(() =>
      query(`update fields set retired_at = now() where form_id = $1 and code = 'old'`, [draft.form.id]),
    );
    await complete(draft);
    expect(await placesLeft(draft.form.uuid)).toEqual({ a: 2 });
  });

  it('counts submissions that were completed before by their stored value, and keeps its holders when it is renamed', async () => {
    const [one, two] = await twoDrafts({ workshop: CHOICE });
    await store(one, { workshop: 'a' });
    await store(two, { workshop: 'b' });
    await complete(one);
    await setPlaces(one.form.id, 2, ['a', 'b']);
    expect(await placesLeft(one.form.uuid)).toEqual({ a: 1, b: 2 });
    await use.service.hearing(() =>
      query(`update options set value = 'c' where value = 'a' and field_id = $1`, [one.fields.workshop!.id]),
    );
    expect(await placesLeft(one.form.uuid)).toEqual({ c: 1, b: 2 });
    await query('delete from submissions where uuid = $1', [one.uuid]);
    expect(await placesLeft(one.form.uuid)).toEqual({ c: 2, b: 2 });
    await query(`delete from options where value = 'c' and field_id = $1`, [one.fields.workshop!.id]);
    expect(await placesLeft(one.form.uuid)).toEqual({ b: 2 });
    expect((await complete(two)).status).toBe(200);
    expect(await placesLeft(one.form.uuid)).toEqual({ b: 1 });
  });
});

onOneServer('GET /api/v1/forms/{uuid}/availability (D7)', () => {
  it('needs no token, is never cached, and is 404 for an unknown form', async () => {
    const { form } = await buildForm(use.database.dataSource, { form: { closesAt: inHours(2) } });
    const { status, headers, body } = await use.service.anyone.get(
      `/api/v1/forms/${form.uuid.toUpperCase()}/availability`,
    );
    expect([status, headers.get('cache-control'), headers.get('content-type')]).toEqual([
      ...[200, 'no-store', 'application/json; charset=utf-8'],
    ]);
    expect(body).toEqual({
      data: {
        ...{ is_open: true, opens_at: null, closes_at: form.closesAt!.toISOString().replace('Z', '000Z') },
        ...{ places_left: null, options: [] },
      },
    });
    for (const uuid of ['1b4e28ba-2fa1-11d2-883f-0016d3cca427', 'x'])
      expect((await use.service.anyone.get(`/api/v1/forms/${uuid}/availability`)).status).toBe(404);
  });

  it('reads no submission, so that its cost does not grow with them', () => {
    expect(FIND_AVAILABILITY.text).not.toMatch(
      /\b(submissions|submission_values|held_options|user_counts)\b/,
    );
  });

  it.each<[boolean, Partial<Form>]>([
    [false, { isActive: false }],
    [false, { opensAt: inHours(1) }],
    [false, PAST],
    [true, { opensAt: inHours(-1) }],
  ])('says is_open %s for %j', async (isOpen, plan) => {
    const { form } = await buildForm(use.database.dataSource, { form: plan });
    expect((await availability(form.uuid)).is_open).toBe(isOpen);
  });
});
