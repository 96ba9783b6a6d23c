import { Condition, EntityDefinition, Field, FieldRule, Form, Option, Step } from '../../../src/entities.js';
import { client as clientOf } from '../../support/client.js';
import { complete, store } from '../../support/draft-requests.js';
import { createDraft } from '../../support/drafts.js';
import { buildForm, type BuiltForm, type FormPlan } from '../../support/forms.js';
import { newUser } from '../../support/service.js';
import { picture } from '../support/accessibility.js';
import { describeInBrowser } from '../support/chromium.js';
import { type ExamplePage, startExamplePage } from '../support/example-page.js';
import { EMAIL } from './support/panel-process.js';
import type { PanelPage } from './support/panel-page.js';
import type { Session } from './support/panel-session.js';
import { usePanel, usePanelPage } from './support/use-panel.js';

let example: ExamplePage;
const { use, panel, managerOf, openSession } = usePanel(async (serviceUrl) => {
  example = await startExamplePage(serviceUrl);
  return `${example.url}/`;
});
afterAll(() => example.close());
let session: Session;
beforeAll(async () => {
  session = await openSession();
}, 300_000);

const address = (id: number, action: string) => `/admin/api/resources/forms/records/${id}/${action}`;

async function read(id: number, action: string) {
  const { status, text } = await session(address(id, action));
  return { status, body: JSON.parse(text) };
}

async function act(id: number, action: string, data: object = {}) {
  const { status, text } = await session(address(id, action), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(data),
  });
  return { status, body: JSON.parse(text) };
}

const formOf = (id: number) => managerOf().findOneBy(Form, { id });
const fieldsOf = (formId: number) =>
  managerOf().find(Field, { where: { formId }, order: { step: { stepNumber: 'asc' }, order: 'asc' } });
/** The id of each field by its code. */
const idsOf = async (formId: number) =>
  Object.fromEntries((await fieldsOf(formId)).map(({ code, id }) => [code, id]));
const fieldOf = (formId: number, code: string) => managerOf().findOneByOrFail(Field, { formId, code });
const edits = (formId: number) =>
  managerOf().query('select copy_id from panel_prepared_edits where form_id = $1', [formId]);

/** Prepares changes of the form, and returns the id of the copy. */
async function prepare({ form }: Pick<BuiltForm, 'form'>): Promise<number> {
  const { status, body } = await act(form.id, 'prepare');
  expect([status, body.redirectUrl]).toEqual([200, expect.stringMatching(/\/forms\/records\/\d+\/show$/)]);
  return Number(/\d+/.exec(body.redirectUrl)![0]);
}

async function publish(copyId: number) {
  const { version } = (await formOf(copyId))!;
  return act(copyId, 'publish', { version });
}

const changesOf = async (copyId: number) => {
  const { publication } = (await read(copyId, 'publish')).body;
  return publication.changes.map(({ kind, message }: any) => `${kind}: ${message}`);
};

/** Completes a submission with this value of the field. */
async function answer(built: BuiltForm, values: Record<string, string>): Promise<void> {
  const { client } = await newUser(use);
  const { path } = await createDraft(client, built);
  const entries = Object.entries(values).map(([field_code, value]) => ({ field_code, value }));
  expect((await client.post(`${path}/values`, { values: entries })).status).toBe(200);
}

const LIVE: FormPlan = {
  form: { name: 'Trip', completion: 'strict' },
  steps: [
    {
      name: { label: 'Name', rules: { min_length: '2' } },
      travel: { type: 'radio', options: ['yes', 'no'] },
    },
    {
      amount: { label: 'Amount', isRepeatable: true },
      why: { label: 'Why', conditions: [['travel', 'equals', 'no', 'show']] },
    },
  ],
  entities: [{ name: 'expense', label: 'Expense', isRepeatable: true, of: ['amount'] }],
};

describe('publishing prepared changes', () => {
  it('is one version of the live form, which keeps its ids, and deletes the copy with its tests', async () => {
    const built = await buildForm(use.database.dataSource, LIVE);
    const { form } = built;
    const manager = managerOf();
    const { client } = await newUser(use);
    const { path } = await createDraft(client, built);
    const copyId = await prepare(built);
    const copy = (await formOf(copyId))!;
    expect(copy).toMatchObject({ name: 'Trip', isActive: false });
    expect(await formOf(form.id)).toMatchObject({ version: form.version, isActive: true });

    // Five separate edits of the copy, and a preview with a submission.
    const [name, , amount] = await fieldsOf(copyId);
    await manager.update(Field, name!.id, { label: 'Your name' });
    await manager.update(Field, amount!.id, { code: 'sum' });
    await manager.update(Step, { formId: copyId, stepNumber: 2 }, { title: 'Costs' });
    await manager.update(EntityDefinition, { formId: copyId }, { name: 'cost' });
    await manager.insert(Field, {
      ...{ formId: copyId, stepId: name!.stepId, fieldTypeId: name!.fieldTypeId },
      ...{ code: 'town', label: 'Town', order: 9 },
    });
    const { body } = await act(copyId, 'preview');
    const visitor = clientOf(use.service.url, {
      Authorization: `Bearer ${body.preview.plainToken}`,
    });
    expect((await visitor.post('/api/v1/submissions', { form_uuid: copy.uuid })).status).toBe(201);
    expect(await formOf(form.id)).toMatchObject({ version: form.version });

    expect(await changesOf(copyId)).toEqual(
      expect.arrayContaining([
        'breaking: The entity "expense" was renamed to "cost".',
        'breaking: The code of the field "amount" changed to "sum".',
        'compatible: The label of the field "name" changed from "Name" to "Your name".',
      ]),
    );
    const { status, body: published } = await publish(copyId);
    expect([status, published.redirectUrl, published.notice]).toEqual([
      200,
      `/admin/resources/forms/records/${form.id}/show`,
      { message: `Published as version ${form.version + 1}.`, type: 'success' },
    ]);
    expect(await formOf(form.id)).toMatchObject({
      ...{ uuid: form.uuid, slug: form.slug, version: form.version + 1, isActive: true, updatedBy: EMAIL },
    });
    const { name: named, travel, amount: asked, why } = built.fields;
    expect(await idsOf(form.id)).toEqual({
      ...{ name: named!.id, travel: travel!.id, sum: asked!.id, why: why!.id },
      town: expect.any(Number),
    });
    expect(
      await manager.find(Step, { where: { formId: form.id }, order: { stepNumber: 'asc' } }),
    ).toMatchObject(built.steps.map(({ id }, at) => ({ id, title: at === 1 ? 'Costs' : 'Step 1' })));
    expect([await formOf(copyId), await edits(form.id)]).toEqual([null, []]);
    // The draft goes on.
    const stored = await client.post(`${path}/values`, { values: [{ field_code: 'town', value: 'Ulm' }] });
    expect(stored.status).toBe(200);
  });

  it('retires a removed field that has values, and deletes a removed field without', async () => {
    const built = await buildForm(use.database.dataSource, LIVE);
    await answer(built, { name: 'Ada', travel: 'no', why: 'Ill' });
    const copyId = await prepare(built);
    await managerOf().delete(Field, { formId: copyId, code: 'why' });
    await managerOf().delete(Field, { formId: copyId, code: 'amount' });
    expect(await changesOf(copyId)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^breaking: The field "why" was retired/),
        expect.stringMatching(/^breaking: The field "amount" was removed/),
      ]),
    );
    expect((await publish(copyId)).status).toBe(200);
    const why = await fieldOf(built.form.id, 'why');
    expect([why.id, why.retiredAt]).toEqual([built.fields['why']!.id, expect.any(Date)]);
    expect(await managerOf().existsBy(Field, { id: built.fields['amount']!.id })).toBe(false);
  });

  /** A form whose fields refer to each other. */
  const REFERRING: FormPlan = {
    steps: [
      {
        price: { type: 'number' },
        count: { type: 'number', rules: { max: { field: 'price' } } },
        total: { type: 'number', computed: { op: 'product', of: ['price', { op: 'sum', of: ['count'] }] } },
        note: { conditions: [['total', 'greater_than', { field: 'price' }, 'show']] },
      },
    ],
  };

  it('keeps what fields refer to, also under a new code', async () => {
    const built = await buildForm(use.database.dataSource, REFERRING);
    const copyId = await prepare(built);
    await managerOf().update(Field, { formId: copyId, code: 'price' }, { code: 'cost' });
    expect(await changesOf(copyId)).toEqual(['breaking: The code of the field "price" changed to "cost".']);
    expect((await publish(copyId)).status).toBe(200);
    const { price, count, total, note } = built.fields;
    expect(await idsOf(built.form.id)).toMatchObject({ cost: price!.id, total: total!.id });
    expect((await fieldOf(built.form.id, 'total')).computed).toEqual({
      ...{ op: 'product', of: ['cost', { op: 'sum', of: ['count'] }] },
    });
    const manager = managerOf();
    expect(await manager.findBy(FieldRule, { fieldId: count!.id })).toMatchObject([
      { otherFieldId: price!.id },
    ]);
    expect(await manager.findBy(Condition, { fieldId: note!.id })).toMatchObject([
      { dependsOnFieldId: total!.id, valueFieldId: price!.id },
    ]);
  });

  it('retires removed fields with values without what they refer to', async () => {
    const built = await buildForm(use.database.dataSource, REFERRING);
    const { client } = await newUser(use);
    const draft = { client, ...(await createDraft(client, built)) };
    await store(draft, { count: '2' });
    // Completion stores the total.
    await managerOf().update(Field, built.fields['total']!.id, { computed: { op: 'count', of: ['count'] } });
    expect((await complete(draft)).status).toBe(200);
    await managerOf().update(Field, built.fields['total']!.id, {
      computed: { op: 'sum', of: ['count', 'price'] },
    });
    const copyId = await prepare(built);
    for (const code of ['note', 'total', 'count', 'price'])
      await managerOf().delete(Field, { formId: copyId, code });
    expect((await publish(copyId)).status).toBe(200);
    expect(await fieldsOf(built.form.id)).toMatchObject([
      { code: 'count', retiredAt: expect.any(Date) },
      { code: 'total', retiredAt: expect.any(Date), computed: null },
    ]);
    expect(await managerOf().findBy(FieldRule, { fieldId: built.fields['count']!.id })).toEqual([]);
  });

  it('lets two fields swap their codes, and names a code that another part still has', async () => {
    const built = await buildForm(use.database.dataSource, { steps: [{ a: {}, b: {}, c: {} }] });
    await answer(built, { a: '1', b: '2', c: '3' });
    const copyId = await prepare(built);
    const manager = managerOf();
    const code = async (from: string, to: string) =>
      manager.update(Field, { formId: copyId, code: from }, { code: to });
    await code('a', 'x');
    await code('b', 'a');
    await code('x', 'b');
    await manager.delete(Field, { formId: copyId, code: 'c' });
    await code('a', 'c');
    const { publication } = (await read(copyId, 'publish')).body;
    const reason =
      '“b” cannot get the code “c”, because the live form has another part with it, which was removed here. Choose another code.';
    expect(publication.problems).toEqual([reason]);
    expect(await publish(copyId)).toMatchObject({ status: 409, body: { message: reason } });
    await code('c', 'a');
    expect((await publish(copyId)).status).toBe(200);
    const { a, b, c } = built.fields;
    expect(await idsOf(built.form.id)).toEqual({ b: a!.id, a: b!.id, c: c!.id });
    expect(await fieldOf(built.form.id, 'c')).toMatchObject({ retiredAt: expect.any(Date) });
  });

  it('is rejected if the live form has another version, and shows what has changed; then changes can be prepared again', async () => {
    const built = await buildForm(use.database.dataSource, LIVE);
    const { form } = built;
    const copyId = await prepare(built);
    await managerOf().update(Field, { formId: copyId, code: 'name' }, { label: 'Mine' });
    await managerOf().update(Field, built.fields['why']!.id, { label: 'Theirs' });
    const { publication } = (await read(copyId, 'publish')).body;
    expect(publication).toMatchObject({
      edit: { begunVersion: form.version, version: form.version + 1, begunBy: EMAIL },
      changesSince: [
        { kind: 'compatible', message: 'The label of the field "why" changed from "Why" to "Theirs".' },
      ],
    });
    expect(await publish(copyId)).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining(`the form has version ${form.version + 1} now`) },
    });
    expect(await fieldOf(form.id, 'name')).toMatchObject({ label: 'Name' });

    const { body } = await act(copyId, 'prepareAgain');
    const next = Number(/\d+/.exec(body.redirectUrl)![0]);
    expect(await formOf(copyId)).toMatchObject({
      name: `Trip (changes from version ${form.version})`,
      isActive: false,
    });
    expect(await fieldOf(copyId, 'name')).toMatchObject({ label: 'Mine' });
    expect(await fieldOf(next, 'why')).toMatchObject({ label: 'Theirs' });
    await managerOf().update(Field, { formId: next, code: 'name' }, { label: 'Mine' });
    expect((await publish(next)).status).toBe(200);
    expect(await formOf(form.id)).toMatchObject({ version: form.version + 2 });
  });

  it('is rejected if the copy has changed since the differences were shown', async () => {
    const built = await buildForm(use.database.dataSource, LIVE);
    const copyId = await prepare(built);
    const { version } = (await formOf(copyId))!;
    await managerOf().update(Field, { formId: copyId, code: 'name' }, { label: 'New' });
    expect(await act(copyId, 'publish', { version })).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('Look at the differences again.') },
    });
    expect((await act(copyId, 'publish')).status).toBe(400);
    expect(await formOf(built.form.id)).toMatchObject({ version: built.form.version });
  });

  it('succeeds once if two people publish at once, and so does preparing', async () => {
    const built = await buildForm(use.database.dataSource, LIVE);
    const { id, version } = built.form;
    const begun = await Promise.all([prepare(built), prepare(built), prepare(built)]);
    const [copyId] = begun;
    expect(begun).toEqual([copyId, copyId, copyId]);
    await managerOf().update(Field, { formId: copyId, code: 'name' }, { label: 'New' });
    const results = await Promise.all([publish(copyId), publish(copyId), publish(copyId)]);
    expect(results.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const refused = results.filter(({ status }) => status === 409).map(({ body }) => body.message);
    expect(new Set(refused)).toEqual(new Set(['These changes have been published or discarded meanwhile.']));
    expect(await formOf(id)).toMatchObject({ version: version + 1 });
  });

  it('loses nothing if the live form or the copy is deleted meanwhile', async () => {
    const orphaned = await buildForm(use.database.dataSource, LIVE);
    const orphan = await prepare(orphaned);
    await managerOf().delete(Form, orphaned.form.id);
    expect((await read(orphan, 'show')).body.record.title).toBe('Trip');
    const publishing = JSON.parse((await read(orphan, 'show')).body.record.params.publishing);
    expect(publishing.edit).toMatchObject({ isCopy: true, name: null, version: null });
    expect(await act(orphan, 'makeLive', { version: 1 })).toMatchObject({ status: 409 });
    expect((await act(orphan, 'keep')).status).toBe(200);
    const { version } = (await formOf(orphan))!;
    expect((await act(orphan, 'makeLive', { version })).status).toBe(200);

    const built = await buildForm(use.database.dataSource, LIVE);
    await managerOf().delete(Form, await prepare(built));
    const shown = JSON.parse((await read(built.form.id, 'show')).body.record.params.publishing);
    expect(shown.edit).toMatchObject({ isCopy: false, isCopyDeleted: true, begunBy: EMAIL });
    const again = await prepare(built);
    expect((await act(built.form.id, 'discard')).status).toBe(200);
    expect([await formOf(again), await edits(built.form.id)]).toEqual([null, []]);
    expect((await act(built.form.id, 'discard')).status).toBe(409);
  });
});

describe('limits in a copy', () => {
  const opensAt = new Date('2020-01-02T03:04:05.678Z');
  const LIMITS = { opensAt, closesDrafts: true, maxSubmissions: 20, maxPerUser: 2 };

  /** A form with limits and one completed submission. */
  async function limited(form: Partial<Form> = {}) {
    const built = await buildForm(use.database.dataSource, { ...LIVE, form: { ...LIMITS, ...form } });
    await managerOf().update(Option, { fieldId: built.fields['travel']!.id, value: 'yes' }, { places: 4 });
    const { client } = await newUser(use);
    const draft = { client, ...(await createDraft(client, built)) };
    await store(draft, { name: 'Ada', travel: 'yes' });
    expect((await complete(draft)).status).toBe(200);
    return built;
  }

  /** The places of the options, and how many submissions are counted: of the form, and of each option with places. */
  async function countsOf(formId: number) {
    const options = await managerOf().query<{ value: string; places: number | null; taken: number | null }[]>(
      `select value, places, taken from options join fields on fields.id = field_id
         left join option_counts on option_id = options.id where fields.form_id = $1 order by options."order"`,
      [formId],
    );
    const [form] = await managerOf().query('select completed from form_counts where form_id = $1', [formId]);
    return [form?.completed, ...options.map(({ value, places, taken }) => [value, places, taken])];
  }

  it('are those of the form, and nothing is counted there', async () => {
    const { form } = await limited();
    expect(await countsOf(form.id)).toEqual([1, ['yes', 4, 1], ['no', null, null]]);
    const { proposal } = (await read(form.id, 'copy')).body;
    const { body } = await act(form.id, 'copy', proposal);
    const copyId = Number(/\d+/.exec(body.redirectUrl)![0]);
    expect(await formOf(copyId)).toMatchObject(LIMITS);
    expect(await countsOf(copyId)).toEqual([0, ['yes', 4, 0], ['no', null, null]]);
  });

  it('are published with the differences in words, and the form keeps its counts', async () => {
    const built = await limited();
    const copyId = await prepare(built);
    expect(await formOf(copyId)).toMatchObject(LIMITS);
    await managerOf().update(Form, copyId, { maxSubmissions: 5, maxPerUser: null });
    const fieldId = (await idsOf(copyId))['travel']!;
    await managerOf().update(Option, { fieldId, value: 'yes' }, { places: 9 });
    await managerOf().update(Option, { fieldId, value: 'no' }, { places: 0 });
    expect(await changesOf(copyId)).toEqual([
      'breaking: The maximum number of submissions of the form changed from 20 to 5.',
      'breaking: The maximum number of places of the option "no" of the field "travel" changed from nothing to 0.',
      'compatible: The maximum number of submissions of a user changed from 2 to nothing.',
      'compatible: The maximum number of places of the option "yes" of the field "travel" changed from 4 to 9.',
    ]);
    expect((await publish(copyId)).status).toBe(200);
    expect(await formOf(built.form.id)).toMatchObject({ ...LIMITS, maxSubmissions: 5, maxPerUser: null });
    expect(await countsOf(built.form.id)).toEqual([1, ['yes', 9, 1], ['no', 0, 0]]);
    expect(await countsOf(copyId)).toEqual([undefined]);
  });

  it('belong to options that get other values in the copy, and their submissions still hold them', async () => {
    const built = await limited();
    const [live, copyId] = [built.fields['travel']!.id, await prepare(built)];
    const fieldId = (await idsOf(copyId))['travel']!;
    await managerOf().update(Field, fieldId, { code: 'trip' });
    await managerOf().update(Option, { fieldId, value: 'yes' }, { value: 'gladly' });
    await managerOf().update(Option, { fieldId, value: 'no' }, { value: 'yes' });
    expect((await publish(copyId)).status).toBe(200);
    expect(await countsOf(built.form.id)).toEqual([1, ['gladly', 4, 1], ['yes', null, null]]);

    // Another option takes the value of a deleted option.
    await managerOf().update(Option, { fieldId: live, value: 'yes' }, { places: 3 });
    const next = await prepare(built);
    const { trip } = await idsOf(next);
    await managerOf().delete(Option, { fieldId: trip!, value: 'gladly' });
    await managerOf().update(Option, { fieldId: trip!, value: 'yes' }, { value: 'gladly' });
    expect((await publish(next)).status).toBe(200);
    expect(await countsOf(built.form.id)).toEqual([1, ['gladly', 3, 0]]);
  });

  it('let a preview of a closed and full form be completed, which takes no place', async () => {
    const { form } = await limited({ maxSubmissions: 1 });
    await managerOf().update(Form, form.id, { closesAt: new Date(opensAt.getTime() + 1) });
    const { body } = await act(form.id, 'preview');
    const visitor = clientOf(use.service.url, { Authorization: `Bearer ${body.preview.plainToken}` });
    const draft = { client: visitor, ...(await createDraft(visitor, { form } as BuiltForm)) };
    await store(draft, { name: 'Test', travel: 'yes' });
    expect((await complete(draft)).status).toBe(200);
    expect(await countsOf(form.id)).toEqual([1, ['yes', 4, 1], ['no', null, null]]);
  });
});

describe('a copy with prepared changes', () => {
  it('is in no list, cannot be live, deleted or copied, and its live form says who prepares', async () => {
    const built = await buildForm(use.database.dataSource, LIVE);
    const copyId = await prepare(built);
    const listed = async (query = '') => {
      const { text } = await session(`/admin/api/resources/forms/actions/list?perPage=500&${query}`);
      return new Map<number, any>(JSON.parse(text).records.map(({ params }: any) => [params.id, params]));
    };
    const forms = await listed();
    expect([forms.has(copyId), forms.get(built.form.id).hasPreparedEdit]).toEqual([false, true]);
    expect([...(await listed('filters.isPreparedCopy=true')).keys()]).toContain(copyId);
    const { record } = (await read(built.form.id, 'show')).body;
    expect(JSON.parse(record.params.publishing).edit).toMatchObject({ begunBy: EMAIL, copyId });
    expect((await read(copyId, 'show')).body.record.title).toBe('Trip (prepared changes)');

    const edit = async (data: object) => (await act(copyId, 'edit', data)).body.record.errors;
    expect(await edit({ isActive: 'true' })).toHaveProperty('isActive');
    expect(await edit({ slug: 'another-slug' })).toHaveProperty('slug');
    expect(await edit({ name: 'Journey' })).toEqual({});
    for (const action of ['makeLive', 'delete', 'copy', 'share'])
      expect([action, (await act(copyId, action)).body]).toEqual([
        action,
        expect.not.objectContaining({ redirectUrl: expect.anything() }),
      ]);
    expect(await formOf(copyId)).toMatchObject({ isActive: false, name: 'Journey' });
  });
});

describe('making a form live', () => {
  it('needs a question, names probable mistakes, and knows whether the form was previewed since its last change', async () => {
    const empty = await buildForm(use.database.dataSource, {
      form: { isActive: false },
      steps: [
        {
          title: { type: 'heading' },
          gone: { retiredAt: new Date() },
          computed: { computed: { op: 'count', of: ['gone'] } },
        },
      ],
    });
    expect((await read(empty.form.id, 'makeLive')).body.checkList).toMatchObject({ questions: 0 });
    const refused = await act(empty.form.id, 'makeLive', { version: empty.form.version });
    expect(refused).toMatchObject({ status: 409, body: { message: 'The form has no question yet.' } });

    const { form, fields } = await buildForm(use.database.dataSource, {
      form: { isActive: false },
      steps: [
        { name: { label: 'Name' }, other: { label: 'Other', conditions: [['name', 'equals', 'x', 'show']] } },
        {},
      ],
    });
    await managerOf().update(Field, fields['name']!.id, { retiredAt: new Date() });
    const { version } = (await formOf(form.id))!;
    const { checkList } = (await read(form.id, 'makeLive')).body;
    expect(checkList).toMatchObject({
      ...{ version, questions: 1, emptySteps: ['Step 2'], previewedAt: null, isPreviewCurrent: false },
    });
    expect(checkList.findings).toContainEqual({
      place: 'Other',
      href: `/admin/resources/fields/records/${fields['other']!.id}/edit`,
      message: expect.stringContaining('is never met'),
    });
    await act(form.id, 'preview');
    expect((await read(form.id, 'makeLive')).body.checkList).toMatchObject({ isPreviewCurrent: true });

    expect((await act(form.id, 'makeLive', { version: version - 1 })).status).toBe(409);
    const { status, body } = await act(form.id, 'makeLive', { version });
    expect([status, body.redirectUrl]).toEqual([200, `/admin/resources/forms/records/${form.id}/share`]);
    expect(await formOf(form.id)).toMatchObject({ isActive: true, updatedBy: EMAIL });
    expect((await read(form.id, 'share')).body.share).toEqual({
      ...{ slug: form.slug, uuid: form.uuid, access: 'token' },
      ...{ serviceUrl: 'http://127.0.0.1:3000', pageUrl: `${example.url}/#/forms/${form.slug}` },
    });
  });
});

describe('a copy of a form', () => {
  it('is inactive and has all parts, conditions and rules', async () => {
    const { form } = await buildForm(use.database.dataSource, LIVE);
    const { proposal } = (await read(form.id, 'copy')).body;
    expect(proposal).toEqual({ name: 'Copy of Trip', slug: `${form.slug}-copy` });
    expect(await act(form.id, 'copy', { ...proposal, slug: form.slug })).toMatchObject({
      status: 409,
      body: { message: 'Another form has this slug. Choose another one.' },
    });
    expect((await act(form.id, 'copy', { ...proposal, slug: 'No Slug' })).status).toBe(409);
    expect((await act(form.id, 'copy', { name: ' ' })).status).toBe(400);
    const { body } = await act(form.id, 'copy', proposal);
    const id = Number(/\d+/.exec(body.redirectUrl)![0]);
    const copy = (await formOf(id))!;
    expect(copy).toMatchObject({ ...proposal, isActive: false, completion: 'strict' });
    expect(copy.uuid).not.toBe(form.uuid);
    const manager = managerOf();
    const parts = async (formId: number) =>
      Promise.all([
        manager.countBy(Step, { formId }),
        manager.countBy(EntityDefinition, { formId }),
        manager.countBy(Condition, { formId }),
        manager.countBy(FieldRule, { field: { formId } }),
        manager.countBy(Option, { field: { formId } }),
        manager.countBy(Field, { formId }),
      ]);
    expect(await parts(id)).toEqual(await parts(form.id));
    expect((await read(form.id, 'copy')).body.proposal.slug).toBe(`${form.slug}-copy-2`);
  });
});

describeInBrowser('the pages of a form that goes live and is changed', () => {
  const { logIn } = usePanelPage(panel);

  /** Takes pictures at both widths. */
  async function pictures({ page }: PanelPage, name: string): Promise<void> {
    await picture(page, `publish-${name}-1280`);
    await page.setViewportSize({ width: 390, height: 844 });
    await picture(page, `publish-${name}-390`);
    const scrolled = await page.evaluate<number>('document.documentElement.scrollWidth');
    expect([name, scrolled]).toEqual([name, 390]);
    await page.setViewportSize({ width: 1280, height: 900 });
  }

  it('lead from the check list to the address, and from a prepared change through its preview to one new version', async () => {
    const { form, fields } = await buildForm(use.database.dataSource, {
      ...LIVE,
      form: { name: 'Trip of the society', isActive: false, access: 'public' },
    });
    const page = await logIn();
    await page.open('Trip of the society', `forms/records/${form.id}/show`);
    await pictures(page, 'inactive');
    await page.follow('Make it live');
    await page.page.getByText('Nobody has previewed the form in the last day.').waitFor();
    await pictures(page, 'check-list');
    await page.press('Make it live');
    await page.page.getByText('Everybody who has the address can fill in this form.').waitFor();
    const link = `${example.url}/#/forms/${form.slug}`;
    expect(await page.input('Address for people').inputValue()).toBe(link);
    await page.page.getByRole('img', { name: `QR code for ${link}` }).waitFor();
    expect(await page.input('HTML').inputValue()).toContain(
      `<formtrail-form form="${form.slug}" url="http://`,
    );
    await page.press('Copy: Address for people');
    await page.page.getByText(/^(Copied|Selected)/).waitFor();
    await pictures(page, 'share');

    await page.open('Trip of the society', `forms/records/${form.id}/show`);
    const { version } = (await formOf(form.id))!;
    await pictures(page, 'live');
    await page.press('Prepare changes');
    await page.heading('Trip of the society (prepared changes)').waitFor();
    await page.follow('Name');
    await page.heading('Edit').waitFor();
    await page.fill({ Label: 'First and last name' });
    await page.press('Save');
    await page.heading('Trip of the society (prepared changes)').waitFor();
    await page.press('Preview');
    const frame = page.page.frameLocator('iframe[title="Preview of the form"]');
    await frame.getByLabel('First and last name').waitFor();
    await pictures(page, 'copy');

    const other = await logIn();
    await other.open('Trip of the society', `forms/records/${form.id}/show`);
    await other.page.getByText(new RegExp(`^${EMAIL} has prepared changes since `)).waitFor();
    await pictures(other, 'prepared');
    await other.page.goto(`${panel.url}/admin/resources/forms?filters.slug=${form.slug}`);
    await other.page.getByText('Changes prepared').first().waitFor();
    await pictures(other, 'list');

    await page.follow('See the differences and publish');
    await page.page
      .getByText('The label of the field "name" changed from "Name" to "First and last name".')
      .waitFor();
    await pictures(page, 'differences');
    await page.press('Publish as one version');
    await page.page.getByText(`Published as version ${version + 1}.`).waitFor();
    expect(await formOf(form.id)).toMatchObject({ version: version + 1, isActive: true });
    expect(await fieldOf(form.id, 'name')).toMatchObject({
      id: fields['name']!.id,
      label: 'First and last name',
    });
  });

  it('say that the live form has changed, and what to do', async () => {
    const built = await buildForm(use.database.dataSource, { ...LIVE, form: { name: 'Moved' } });
    const copyId = await prepare(built);
    await managerOf().update(Field, { formId: copyId, code: 'name' }, { label: 'Mine' });
    await managerOf().update(Field, built.fields['why']!.id, { label: 'Theirs' });
    const page = await logIn();
    await page.open('Publish changes', `forms/records/${copyId}/publish`);
    await page.page.getByText('The label of the field "why" changed from "Why" to "Theirs".').waitFor();
    expect(await page.page.getByRole('button', { name: 'Publish as one version' }).count()).toBe(0);
    await pictures(page, 'moved');
    await page.press('Discard');
    await page.press('Discard the prepared changes for good');
    await page.heading('Moved — Form').waitFor();
    expect(await formOf(copyId)).toBeNull();
  });

  it('ask for the name of a copy', async () => {
    const { form } = await buildForm(use.database.dataSource, { ...LIVE, form: { name: 'Copied' } });
    const page = await logIn();
    await page.open('Copied', `forms/records/${form.id}/copy`);
    await page.fill({ Name: 'Another' });
    await pictures(page, 'copy-form');
    await page.press('Copy');
    await page.heading('Another — Form').waitFor();
  });
});
