import { Condition, Field, Form, Step } from '../../src/entities.js';
import { complete, stateOf, store } from '../support/draft-requests.js';
import { type Draft, newDraftOf } from '../support/drafts.js';
import { expectInvalid, expectRefusal } from '../support/refusal.js';
import { useService } from '../support/service.js';

/** The classes whose calls are paused, and the files that have them. */
const FILES = {
  CompletionService: 'completion/completion',
  DraftsService: 'drafts/drafts',
  SubmissionFormsService: 'drafts/submission-forms',
};

/** The tests edit the form between two statements of a request. */
describe('a request sees one version of the form', () => {
  const use = useService();
  const manager = () => use.database.dataSource.manager;
  const askHost = async (method: string, parameters = {}) => {
    const response = await globalThis.worker.askServiceHost({ method, ...parameters });
    expect(JSON.parse(response)).not.toHaveProperty('error');
  };

  const begin = (isStrict = true): Promise<Draft> =>
    newDraftOf(use, {
      form: { completion: isStrict ? 'strict' : 'lenient' },
      steps: [{ a: {}, b: {} }, { c: { isRequired: true } }],
    });

  /** Executes `edit` before or after the next call of the method, during the request that `send` sends. */
  async function interposed<T>(
    [when, className, methodName]: readonly ['before' | 'after', keyof typeof FILES, string],
    edit: () => Promise<unknown>,
    send: () => Promise<T>,
  ): Promise<T> {
    const file = `submissions/${FILES[className]}.service`;
    await askHost('pauseNextCall', { file, className, methodName, when });
    const answer = send();
    await askHost('untilPaused');
    await edit();
    await askHost('resume');
    return answer;
  }

  /** Changes the form, and waits until the service has the new version. */
  const edit = async ({ form }: Draft, change: () => Promise<unknown>) => {
    await use.service.hearing(change);
    await use.service.anyone.get(`/api/v1/forms/${form.uuid}/schema`);
  };
  const addStep = ({ form }: Draft) =>
    manager().insert(Step, { formId: form.id, stepNumber: 3, title: 'Third' });
  const require = ({ fields }: Draft, code: string) =>
    manager().update(Field, fields[code]!.id, { isRequired: true });
  const versionOf = async ({ form }: Draft) =>
    (await manager().findOneByOrFail(Form, { id: form.id })).version;

  it.each(['', '&skip=hidden'])(
    'advance?validate=true%s moves nobody past the mistakes of the last step when a step is added meanwhile (S12)',
    async (skip) => {
      const draft = await begin();
      await draft.client.post(`${draft.path}/advance`);
      const answer = await interposed(
        ['after', 'DraftsService', 'lock'],
        () => addStep(draft),
        () => draft.client.post(`${draft.path}/advance?validate=true${skip}`),
      );
      if (answer.body.errors === undefined)
        expectRefusal(answer, 422, { message: 'Already on the last step.' });
      else expectInvalid(answer, 'c');
      expect((await stateOf(draft)).current_step).toBe(2);
    },
  );

  it('advance?validate=true asks for a field that became required after the check (S12)', async () => {
    const draft = await begin();
    const answer = await interposed(
      ['after', 'CompletionService', 'fieldErrors'],
      () => require(draft, 'b'),
      () => draft.client.post(`${draft.path}/advance?validate=true`),
    );
    expectInvalid(answer, 'b');
    expect((await stateOf(draft)).current_step).toBe(1);
  });

  it('advance?skip=hidden passes no step that became visible after the look (C13)', async () => {
    const draft = await newDraftOf(use, {
      steps: [{ a: {} }, { b: {} }, { c: {} }],
      stepConditions: { 2: [['a', 'empty', '', 'hide']] },
    });
    const { body } = await interposed(
      ['before', 'DraftsService', 'readLocked'],
      () => edit(draft, () => manager().delete(Condition, { formId: draft.form.id })),
      () => draft.client.post(`${draft.path}/advance?skip=hidden`),
    );
    const data = { current_step: 2, progress_percentage: 67 };
    expect(body).toMatchObject({ data, form_version: await versionOf(draft) });
  });

  it('strict completion asks for a field that became required after the check (S4)', async () => {
    const draft = await begin();
    await store(draft, { c: 'x' });
    const answer = await interposed(
      ['after', 'CompletionService', 'fieldErrors'],
      () => require(draft, 'b'),
      () => complete(draft),
    );
    expectInvalid(answer, 'b');
  });

  it.each([true, false])(
    'completion names the version in which it completed (N1, N2), strict: %s',
    async (isStrict) => {
      const draft = await begin(isStrict);
      await store(draft, { c: 'x' });
      const { status, body } = await interposed(
        ['after', 'SubmissionFormsService', 'formOf'],
        () => addStep(draft),
        () => complete(draft),
      );
      expect(status).toBe(200);
      const version: number = (await stateOf(draft)).completed_version;
      expect(body.form_version).toBe(version);
      const kept = await draft.client.get(`/api/v1/forms/${draft.form.uuid}/schema?version=${version}`);
      expect(kept.body.data.version).toBe(version);
      // Lenient completion checks nothing, so it may complete in the version that it knew.
      if (isStrict) expect(kept.body.data.steps).toHaveLength(3);
    },
  );

  it.each([
    ['POST values', ({ path }: Draft) => `${path}/values`, () => ({ values: [] })],
    ['POST advance', ({ path }: Draft) => `${path}/advance`, () => undefined],
    ['POST submissions', () => '/api/v1/submissions', ({ form }: Draft) => ({ form_uuid: form.uuid })],
  ])('%s names the version of its data, and that of the included conditions (N1)', async (_, path, body) => {
    const draft = await begin();
    const version = await versionOf(draft);
    const answer = await interposed(
      ['before', 'DraftsService', 'readValues'],
      () => edit(draft, () => addStep(draft)),
      () => draft.client.post(`${path(draft)}?include=conditions`, body(draft)),
    );
    expect([answer.body.form_version, answer.body.conditions.form_version]).toEqual([version, version + 1]);
  });

  it('GET reads the submission again if the form changed meanwhile, so that all is of one version (N1)', async () => {
    const draft = await begin();
    await draft.client.post(`${draft.path}/advance`);
    const version = (await versionOf(draft)) + 1;
    const { body } = await interposed(
      ['before', 'SubmissionFormsService', 'formHolding'],
      () => edit(draft, () => manager().delete(Step, draft.steps[0]!.id)),
      () => draft.client.get(`${draft.path}?include=conditions`),
    );
    expect(body).toMatchObject({
      data: { current_step: 1 },
      form_version: version,
      conditions: { form_version: version },
    });
    expect(Object.keys(body.conditions.data)).toEqual([String(draft.fields['c']!.id)]);
  });
});
