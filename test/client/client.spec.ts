import {
  ChangedError,
  FormtrailClient,
  InvalidError,
  NotFoundError,
  UnauthenticatedError,
} from '../../clients/typescript/src/index.js';
import { document } from '../support/documented.js';
import { type BuiltForm, buildForm, type ConditionPlan } from '../support/forms.js';
import { newUser, useService } from '../support/service.js';
import { translate } from '../support/translations.js';

const use = useService();
const ETAG = expect.stringMatching(/^".+"$/) as unknown;

let built: BuiltForm;
let uuid: string;
let field_id: number;
let client: FormtrailClient;

/** Three steps. The second step is shown if the name is Ada. */
beforeAll(async () => {
  const ifAda: [ConditionPlan] = [['name', 'equals', 'Ada', 'show']];
  built = await buildForm(use.database.dataSource, {
    steps: [{ name: { rules: { min_length: '2' } } }, { extra: {} }, { age: { isRequired: true } }],
    stepConditions: { 2: ifAda },
    entities: [
      { name: 'receipt', isRepeatable: true },
      { name: 'more', of: ['extra'], conditions: ifAda },
    ],
  });
  field_id = built.fields['name']!.id;
});

beforeEach(async () => {
  const { plainToken } = await newUser(use);
  client = new FormtrailClient({ url: use.service.url, token: () => Promise.resolve(plainToken) });
  ({ uuid } = (await client.createSubmission(built.form.uuid)).data);
});

describe('the client', () => {
  it('has a method for each operation of the OpenAPI document, with the same name', () => {
    const operations = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    const methods = Object.getOwnPropertyNames(FormtrailClient.prototype);
    expect(methods.filter((name) => name !== 'constructor').sort()).toEqual(operations.sort());
  });

  it('reads forms without a token', async () => {
    const { form } = built;
    const anyone = new FormtrailClient({ url: use.service.url });
    const page = await anyone.listForms({ per_page: 1 });
    expect([page.data.length, page.meta.per_page]).toEqual([1, 1]);
    const { data, etag } = await anyone.getForm(form.uuid);
    expect([data.slug, etag]).toEqual([form.slug, ETAG]);
    expect((await anyone.getFormBySlug(form.slug)).data).toEqual(data);
    expect((await anyone.getFormSchema(form.uuid)).data.steps[0]?.fields[0]?.code).toBe('name');
    expect((await anyone.checkLiveness()).status).toBe('ok');
    expect((await anyone.checkReadiness()).checks.database).toBe('ok');
  });

  it('reads forms and keeps submissions in a language', async () => {
    const { dataSource } = use.database;
    const { form } = await buildForm(dataSource, { form: { name: 'Survey', locale: 'en' } });
    await use.service.hearing(() => translate(dataSource, { form }, 'de', [[{}, 'name', 'Umfrage']]));
    const locale = 'de-AT';
    const german = { name: 'Umfrage', locale: 'de', locales: ['en', 'de'] };
    expect((await client.getForm(form.uuid, { locale })).data).toMatchObject(german);
    expect((await client.getFormBySlug(form.slug, { locale })).data).toMatchObject(german);
    expect((await client.getFormSchema(form.uuid, { locale })).data).toMatchObject(german);
    expect((await client.getFormSchema(form.uuid)).data).toMatchObject({ name: 'Survey', locale: 'en' });
    const { meta } = await client.listForms({ per_page: 1, locale });
    // The newest form is the last one.
    const { data: listed } = await client.listForms({ page: meta.total, per_page: 1, locale });
    expect(listed).toMatchObject([german]);

    const { data } = await client.createSubmission(form.uuid, { locale });
    expect(data.locale).toBe(locale);
    await client.patchSubmission(data.uuid, { locale: 'en' });
    expect((await client.getSubmission(data.uuid)).data.locale).toBe('en');
  });

  it('creates, fills in and completes a submission', async () => {
    const created = await client.createSubmission(built.form.uuid);
    const { uuid } = created.data;
    const stored = await client.storeValues(uuid, [{ field_id, value: 'Eve' }], { ifMatch: created.etag });
    expect(stored.data).toEqual([{ field_id, field_code: 'name', value: 'Eve', entity_record_id: null }]);
    expect([created.etag, stored.etag]).toEqual([ETAG, ETAG]);
    expect(stored.etag).not.toBe(created.etag);

    expect((await client.resolveConditions(uuid)).data[field_id]).toEqual({ visible: true, required: false });
    const { data: states } = await client.resolveConditions(uuid, { shape: 'list', explain: true });
    expect(states[0]).toMatchObject({ field_code: 'name', is_visible: true, conditions_met: [] });

    const errors = { age: ['The age is required.'] };
    expect((await client.validateSubmission(uuid)).data).toMatchObject({
      ...{ valid: false, errors, mistakes: [{ field: 'age', code: 'required' }] },
    });
    expect((await client.validateSubmission(uuid, { step: 1 })).data.mistakes).toEqual([]);
    expect((await client.advanceSubmission(uuid, { validate: true })).data.current_step).toBe(2);
    expect((await client.retreatSubmission(uuid)).data.progress_percentage).toBe(33);
    await client.patchSubmission(uuid, { status: 'completed', meta: { from: 'test' } });
    const { data } = await client.getSubmission(uuid);
    expect([data.status, data.meta, data.values.length]).toEqual(['completed', { from: 'test' }, 1]);
  });

  it("lists the user's submissions page by page, and deletes a draft", async () => {
    const uuids = [uuid];
    while (uuids.length < 3) uuids.unshift((await client.createSubmission(built.form.uuid)).data.uuid);
    const first = await client.listSubmissions({ status: 'draft', per_page: 2 });
    expect(first.data.map((one) => one.uuid)).toEqual(uuids.slice(0, 2));
    expect(first.data[0]?.form.name).toBe(built.form.name);
    const second = await client.listSubmissions({ status: 'draft', per_page: 2, cursor: first.cursor });
    expect([second.data.map((one) => one.uuid), second.cursor]).toEqual([uuids.slice(2), undefined]);

    await expect(client.deleteSubmission(uuid, { ifMatch: '"x"' })).rejects.toThrow(ChangedError);
    await client.deleteSubmission(uuid);
    await expect(client.deleteSubmission(uuid)).rejects.toThrow(NotFoundError);
    expect((await client.listSubmissions({ form_uuid: built.form.uuid })).data).toHaveLength(2);
  });

  it('includes the conditions in the response, in the requested shape', async () => {
    const state = { visible: true, required: false };
    const { data, conditions } = await client.createSubmission(built.form.uuid, { include: 'conditions' });
    expect(conditions.data[field_id]).toEqual(state);
    const stored = await client.storeValues(data.uuid, [{ field_id, value: 'Ada' }], {
      include: 'conditions',
    });
    expect([stored.conditions.data[field_id], stored.data.length]).toEqual([state, 1]);
    const read = await client.getSubmission(data.uuid, { include: 'conditions', shape: 'list' });
    expect(read.conditions.data[0]?.field_code).toBe('name');
    const next = await client.advanceSubmission(data.uuid, { include: 'conditions' });
    expect(next.conditions).toMatchObject({ data: { [field_id]: state }, form_version: built.form.version });
    const previous = await client.retreatSubmission(data.uuid, { include: 'conditions', scope: 'records' });
    expect(previous.conditions).toMatchObject({ data: { [field_id]: state }, records: {} });
    expect(await client.getSubmission(data.uuid)).not.toHaveProperty('conditions');
  });

  it('includes the states of steps and entities, and moves past hidden steps', async () => {
    const statesIf = (isShown: boolean) => ({
      steps: [1, 2, 3].map((step_number) => ({
        ...{ step_number, is_visible: isShown || step_number !== 2 },
        has_visible_fields: isShown || step_number !== 2,
      })),
      entities: [
        { name: 'receipt', is_visible: true },
        { name: 'more', is_visible: isShown },
      ],
    });
    const including = { include: 'conditions', steps: true } as const;
    const { data, conditions } = await client.createSubmission(built.form.uuid, including);
    expect({ steps: conditions.steps, entities: conditions.entities }).toEqual(statesIf(false));
    const next = await client.advanceSubmission(data.uuid, { skip: 'hidden', validate: true, ...including });
    expect(next.data).toMatchObject({ current_step: 3, is_last_step: true, progress_percentage: 100 });
    expect(next.conditions.steps).toHaveLength(3);
    expect((await client.retreatSubmission(data.uuid, { skip: 'hidden' })).data).toMatchObject({
      ...{ current_step: 1, is_last_step: false, progress_percentage: 50 },
    });
    await client.storeValues(data.uuid, [{ field_code: 'name', value: 'Ada' }]);
    expect(await client.resolveConditions(data.uuid, { steps: true })).toMatchObject(statesIf(true));
    expect(await client.resolveConditions(data.uuid)).not.toHaveProperty('steps');
    expect((await client.advanceSubmission(data.uuid, { skip: 'hidden' })).data.current_step).toBe(2);
  });

  it('adds and removes entries of a repeating group, and resolves their states', async () => {
    const first = await client.createRecord(uuid, 'receipt');
    const second = await client.createRecord(uuid, 'receipt', { ifMatch: first.etag });
    expect((await client.listRecords(uuid, { entity: 'receipt' })).data).toEqual([first.data, second.data]);
    const { records } = await client.resolveConditions(uuid, { scope: 'records' });
    expect(Object.keys(records)).toEqual([`${first.data.id}`, `${second.data.id}`]);
    const { etag } = await client.deleteRecord(uuid, first.data.id, { ifMatch: second.etag });
    const submission = await client.getSubmission(uuid);
    expect([submission.etag, submission.data.records]).toEqual([etag, [second.data]]);
    await expect(client.deleteRecord(uuid, first.data.id)).rejects.toBeInstanceOf(NotFoundError);
  });
});

describe('the client rejects', () => {
  it.each(['wrong', undefined])('with UnauthenticatedError if the token is %s', async (token) => {
    const refused = new FormtrailClient({ url: use.service.url, token }).getSubmission('0');
    await expect(refused).rejects.toBeInstanceOf(UnauthenticatedError);
    await expect(refused).rejects.toMatchObject({
      ...{ name: 'UnauthenticatedError', status: 401, message: 'Unauthenticated.', code: 'unauthenticated' },
      requestId: expect.stringMatching(/./),
    });
  });

  it('with NotFoundError for a form or a submission that does not exist', async () => {
    await expect(client.getFormBySlug('none')).rejects.toThrow(NotFoundError);
    await expect(client.getSubmission(crypto.randomUUID())).rejects.toMatchObject({
      ...{ status: 404, code: 'submission_not_found' },
    });
  });

  it('with InvalidError, which has the code and path of each field error', async () => {
    const refused = client.storeValues(uuid, [{ field_code: 'other', value: 'x' }]);
    await expect(refused).rejects.toThrow(InvalidError);
    const field = { field: 'values.0.field_code', code: 'unknown_field', params: {} };
    await expect(refused).rejects.toMatchObject({
      ...{ code: 'invalid_data', errors: [{ ...field, detail: expect.stringMatching(/./) }] },
    });
    // The request is valid, but the state of the submission does not allow it.
    await expect(client.retreatSubmission(uuid)).rejects.toMatchObject({
      ...{ status: 422, code: 'already_on_first_step', errors: [] },
    });
  });

  it('with ChangedError if the submission has changed since the given ETag', async () => {
    const { etag } = await client.getSubmission(uuid);
    await client.patchSubmission(uuid, { meta: {} });
    await expect(client.patchSubmission(uuid, { meta: null }, { ifMatch: etag })).rejects.toThrow(
      ChangedError,
    );
  });
});
