import { Condition, Field, Form, Step } from '../../src/entities.js';
import { SubmissionFormsService } from '../../src/submissions/lifecycle/submission-forms.service.js';
import { SubmissionWriter } from '../../src/submissions/lifecycle/submission-writer.service.js';
import { SubmissionsService } from '../../src/submissions/lifecycle/submissions.service.js';
import { type Draft, newDraftOf } from '../support/drafts.js';
import { eventually } from '../support/eventually.js';
import { expectInvalid, expectRefusal } from '../support/refusal.js';
import { useServiceInProcess } from '../support/service-in-process.js';

/** The service runs in the process of the tests, which edit the form between two statements of a request. */
describe('a request sees one version of the form', () => {
  const use = useServiceInProcess();
  const manager = () => use.database.dataSource.manager;
  afterEach(() => jest.restoreAllMocks());

  const begin = (isStrict = true): Promise<Draft> =>
    newDraftOf(use as any, {
      form: { completion: isStrict ? 'strict' : 'lenient' },
      steps: [{ a: {}, b: {} }, { c: { isRequired: true } }],
    });

  /** Executes `edit` once, before or after the next call of the method. */
  function interpose(
    when: 'before' | 'after',
    { prototype }: { readonly prototype: any },
    method: string,
    edit: () => Promise<unknown>,
  ): void {
    const original = prototype[method];
    let isDone = false;
    const editOnce = async () => {
      if (isDone) return;
      isDone = true;
      await edit();
    };
    jest.spyOn(prototype, method).mockImplementation(async function (
      this: unknown,
      ...parameters: unknown[]
    ) {
      if (when === 'before') await editOnce();
      const result = await original.apply(this, parameters);
      if (when === 'after') await editOnce();
      return result;
    });
  }

  /** Changes the form, and waits until the service has the new version. */
  const edit = async ({ form }: Draft, change: () => Promise<unknown>) => {
    await change();
    await eventually('the service has the new version', async () => {
      const { version } = await manager().findOneByOrFail(Form, { id: form.id });
      const { body } = await use.service.anyone.get(`/api/v1/forms/${form.uuid}/schema`);
      return body.data.version === version;
    });
  };
  const addStep = ({ form }: Draft) =>
    manager().insert(Step, { formId: form.id, stepNumber: 3, title: 'Third' });
  const require = ({ fields }: Draft, code: string) =>
    manager().update(Field, fields[code]!.id, { isRequired: true });
  const stepOf = async ({ client, path }: Draft) => (await client.get(path)).body.data.current_step;

  it.each(['', '&skip=hidden'])(
    'advance?validate=true%s moves nobody past the mistakes of the last step when a step is added meanwhile (S12)',
    async (skip) => {
      const draft = await begin();
      await draft.client.post(`${draft.path}/advance`);
      interpose('after', SubmissionWriter, 'lockUnchanged', () => addStep(draft));
      const answer = await draft.client.post(`${draft.path}/advance?validate=true${skip}`);
      if (answer.body.errors === undefined)
        expectRefusal(answer, 422, { message: 'Already on the last step.' });
      else expectInvalid(answer, 'c');
      expect(await stepOf(draft)).toBe(2);
    },
  );

  it('advance?validate=true asks for a field that became required after the check (S12)', async () => {
    const draft = await begin();
    interpose('after', SubmissionsService, 'fieldErrors', () => require(draft, 'b'));
    expectInvalid(await draft.client.post(`${draft.path}/advance?validate=true`), 'b');
    expect(await stepOf(draft)).toBe(1);
  });

  it('advance?skip=hidden passes no step that became visible after the look (C13)', async () => {
    const draft = await newDraftOf(use as any, {
      steps: [{ a: {} }, { b: {} }, { c: {} }],
      stepConditions: { 2: [['a', 'empty', '', 'hide']] },
    });
    interpose('before', SubmissionsService, 'find', () =>
      edit(draft, () => manager().delete(Condition, { formId: draft.form.id })),
    );
    const { body } = await draft.client.post(`${draft.path}/advance?skip=hidden`);
    const { version } = await manager().findOneByOrFail(Form, { id: draft.form.id });
    expect(body).toMatchObject({ data: { current_step: 2, progress_percentage: 67 }, form_version: version });
  });

  it('strict completion asks for a field that became required after the check (S4)', async () => {
    const draft = await begin();
    const { client, path } = draft;
    await client.post(`${path}/values`, { values: [{ field_code: 'c', value: 'x' }] });
    interpose('after', SubmissionsService, 'fieldErrors', () => require(draft, 'b'));
    expectInvalid(await client.patch(path, { status: 'completed' }), 'b');
  });

  it.each([true, false])(
    'completion names the version in which it completed (N1, N2), strict: %s',
    async (isStrict) => {
      const draft = await begin(isStrict);
      const { client, path } = draft;
      await client.post(`${path}/values`, { values: [{ field_code: 'c', value: 'x' }] });
      interpose('after', SubmissionFormsService, 'formOf', () => addStep(draft));
      const { status, body } = await client.patch(path, { status: 'completed' });
      expect(status).toBe(200);
      const version: number = (await client.get(path)).body.data.completed_version;
      expect(body.form_version).toBe(version);
      const kept = await client.get(`/api/v1/forms/${draft.form.uuid}/schema?version=${version}`);
      expect(kept.body.data.version).toBe(version);
      // Lenient completion checks nothing, so it may complete in the version that it knew.
      if (isStrict) expect(kept.body.data.steps).toHaveLength(3);
    },
  );

  it.each([
    [
      'POST values',
      (draft: Draft) => draft.client.post(`${draft.path}/values?include=conditions`, { values: [] }),
    ],
    ['POST advance', (draft: Draft) => draft.client.post(`${draft.path}/advance?include=conditions`)],
    [
      'POST submissions',
      (draft: Draft) =>
        draft.client.post('/api/v1/submissions?include=conditions', { form_uuid: draft.form.uuid }),
    ],
  ])('%s names the version of its data, and that of the included conditions (N1)', async (_, send) => {
    const draft = await begin();
    const { version } = await manager().findOneByOrFail(Form, { id: draft.form.id });
    interpose('before', SubmissionsService, 'getStored', () => edit(draft, () => addStep(draft)));
    const { body } = await send(draft);
    expect([body.form_version, body.conditions.form_version]).toEqual([version, version + 1]);
  });

  it('GET reads the submission again if the form changed meanwhile, so that all is of one version (N1)', async () => {
    const draft = await begin();
    const { client, path } = draft;
    await client.post(`${path}/advance`);
    const { version } = await manager().findOneByOrFail(Form, { id: draft.form.id });
    interpose('before', SubmissionFormsService, 'formHolding', () =>
      edit(draft, () => manager().delete(Step, draft.steps[0]!.id)),
    );
    const { body } = await client.get(`${path}?include=conditions`);
    expect(body).toMatchObject({
      data: { current_step: 1 },
      form_version: version + 1,
      conditions: { form_version: version + 1 },
    });
    expect(Object.keys(body.conditions.data)).toEqual([String(draft.fields['c']!.id)]);
  });
});
