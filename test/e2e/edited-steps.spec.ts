import { DeletedStep, Form, Step, Submission } from '../../src/entities.js';
import { exportForm } from '../../src/capabilities/definitions/export-form.js';
import type { FormDefinition } from '../../src/capabilities/definitions/form-definition.js';
import { importForms } from '../../src/capabilities/definitions/import-forms.js';
import { exportSubmissions } from '../../src/capabilities/exports/export-submissions.js';
import { etagOf } from '../support/answers.js';
import { createDraft, type Draft, newDraft } from '../support/drafts.js';
import type { FieldPlan } from '../support/forms.js';
import { itOnOneServer } from '../support/it-on-one-server.js';
import { inOwnDatabase } from '../support/own-database.js';
import { expectRefusal } from '../support/refusal.js';
import { useService } from '../support/service.js';

const FOUR: readonly Record<string, FieldPlan>[] = [{ a: {} }, { b: {} }, { c: {} }, { d: {} }];

describe('a draft stays on its step while the steps of its form are edited (S14)', () => {
  const use = useService();
  const manager = () => use.database.dataSource.manager;
  const query = (sql: string, parameters: unknown[] = []) =>
    use.database.dataSource.query<any[]>(sql, parameters);

  const advance = async ({ client, path }: Pick<Draft, 'client' | 'path'>, times = 1) => {
    for (let time = 0; time < times; time += 1)
      expect((await client.post(`${path}/advance`)).status).toBe(200);
  };
  /** A draft on the step with this index. */
  async function draftOn(index: number, steps = FOUR): Promise<Draft> {
    const draft = await newDraft(use, steps);
    await advance(draft, index);
    return draft;
  }
  const stepOf = async ({ client, path }: Pick<Draft, 'client' | 'path'>): Promise<number> =>
    (await client.get(path)).body.data.current_step;
  const hearing = (change: () => Promise<unknown>) => use.service.hearing(change);
  const insertStep = (draft: Draft, step: Pick<Step, 'stepNumber'> & Partial<Pick<Step, 'id' | 'title'>>) =>
    hearing(() => manager().insert(Step, { formId: draft.form.id, title: 'New', ...step }));
  /** Gives the steps of the form their numbers in this order of their indexes. */
  const order = (draft: Draft, ...indexes: number[]) =>
    hearing(() =>
      manager().transaction(async (panel) => {
        await panel.query('set constraints all deferred');
        for (const [at, index] of indexes.entries())
          await panel.update(Step, draft.steps[index]!.id, { stepNumber: at + 1 });
      }),
    );
  const deleteSteps = (draft: Draft, ...indexes: number[]) =>
    hearing(() =>
      manager().delete(
        Step,
        indexes.map((index) => draft.steps[index]!.id),
      ),
    );
  const deletedOf = async ({ form }: Draft) =>
    (await manager().find(DeletedStep, { where: { formId: form.id }, order: { id: 'asc' } })).map(
      ({ id, movedTo }) => [id, movedTo],
    );
  it('shows the new position of the step everywhere, and keeps the ETag', async () => {
    const draft = await draftOn(2);
    const { client, form, path, uuid } = draft;
    const done = await createDraft(client, draft);
    await advance({ client, ...done }, 2);
    expect((await client.patch(done.path, { status: 'completed' })).status).toBe(200);
    const etag = etagOf(await client.get(path));
    const before = await query('select * from submissions where form_id = $1 order by uuid', [form.id]);

    await order(draft, 1, 3, 0, 2);

    expect(await stepOf(draft)).toBe(4);
    const read = await client.get(path);
    expect([read.body.data.current_step, etagOf(read)]).toEqual([4, etag]);
    expect((await client.get(done.path)).body.data).toMatchObject({ current_step: 4, status: 'completed' });
    const { data } = (await client.get(`/api/v1/submissions?form_uuid=${form.uuid}`)).body;
    expect(data.map((one: any) => one.current_step)).toEqual([4, 4]);
    let exported = '';
    await exportSubmissions(
      use.database.dataSource,
      { slug: form.slug, format: 'ndjson', status: undefined, since: undefined },
      (text) => {
        exported += text;
        return Promise.resolve();
      },
    );
    expect(exported.match(/"current_step":\d+/g)).toEqual(['"current_step":4', '"current_step":4']);
    expect(await query('select * from submissions where form_id = $1 order by uuid', [form.id])).toEqual(
      before,
    );
    const patched = await client.patch(path, {}, { 'If-Match': etag });
    expect(patched.body.data).toMatchObject({ uuid, current_step: 4 });
    expect((await client.patch(path, { meta: { a: 1 } })).body.data.current_step).toBe(4);
    expectRefusal(await client.post(`${path}/advance`), 422, { message: 'Already on the last step.' });
    expect((await client.post(`${path}/retreat`)).body.data).toMatchObject({ current_step: 3 });
    await order(draft, 0, 1, 2, 3);
    expect(await stepOf(draft)).toBe(1);
  });

  itOnOneServer('has its new position in webhooks', async () => {
    const { client, form, path, ...draft } = await draftOn(2);
    await query(
      `insert into webhook_endpoints (form_id, url, secret, events) values ($1, 'https://receiver.example', '', '{submission.completed}')`,
      [form.id],
    );
    await order({ client, form, path, ...draft }, 2, 1, 0, 3);
    expect((await client.patch(path, { status: 'completed' })).status).toBe(200);
    expect(await query('select current_step from webhook_outbox where form_id = $1', [form.id])).toEqual([
      { current_step: 1 },
    ]);
  });

  it('counts a step that is added before it', async () => {
    const draft = await draftOn(1);
    await query('update steps set step_number = step_number + 10 where form_id = $1', [draft.form.id]);
    await insertStep(draft, { stepNumber: 1 });
    expect(await stepOf(draft)).toBe(3);
    expect((await draft.client.post(`${draft.path}/advance`)).body.data).toMatchObject({
      ...{ current_step: 4, progress_percentage: 80, is_last_step: false },
    });
  });

  it('validates the step that was shown, and moves on from it', async () => {
    const draft = await draftOn(1, [{ a: {} }, { b: { isRequired: true } }, { c: { isRequired: true } }]);
    await deleteSteps(draft, 0);
    const answer = await draft.client.post(`${draft.path}/advance?validate=true`);
    expect(Object.keys(answer.body.errors)).toEqual(['b']);
    await draft.client.post(`${draft.path}/values`, { values: [{ field_code: 'b', value: 'x' }] });
    expect((await draft.client.post(`${draft.path}/advance?validate=true`)).body.data).toMatchObject({
      ...{ current_step: 2, is_last_step: true },
    });
  });

  it('is on the step before a deleted one, or on the first if there is none', async () => {
    const draft = await draftOn(2);
    const first = await createDraft(draft.client, draft);
    await deleteSteps(draft, 2);
    expect(await stepOf(draft)).toBe(2);
    await deleteSteps(draft, 0);
    expect([await stepOf(draft), await stepOf({ ...draft, ...first })]).toEqual([1, 1]);
    // The draft on the first step stays on the step that was the first when its own was deleted.
    await hearing(() => manager().update(Step, draft.steps[1]!.id, { stepNumber: 9 }));
    expect([await stepOf(draft), await stepOf({ ...draft, ...first })]).toEqual([2, 2]);
    expect((await draft.client.post(`${draft.path}/retreat`)).body.data.current_step).toBe(1);
  });

  it('follows a chain of deleted steps, whatever their order, and keeps it short', async () => {
    const [one, two, together] = [await draftOn(3), await draftOn(3), await draftOn(3)];
    for (const index of [3, 2, 1]) await deleteSteps(one, index);
    for (const index of [1, 2, 3]) await deleteSteps(two, index);
    await deleteSteps(together, 1, 2, 3);
    for (const draft of [one, two, together]) {
      expect(await stepOf(draft)).toBe(1);
      const [to, ...from] = draft.steps.map(({ id }) => id);
      expect(await deletedOf(draft)).toEqual(from.map((id) => [id, to]));
    }
    const middle = await draftOn(2);
    await deleteSteps(middle, 1, 2);
    await insertStep(middle, { stepNumber: 2 });
    expect(await stepOf(middle)).toBe(1);
  });

  it('is on position 1 of a form that lost all steps, and on its first step later', async () => {
    const draft = await draftOn(2);
    await deleteSteps(draft, 0, 1, 2, 3);
    expect(await stepOf(draft)).toBe(1);
    for (const [direction, end] of [
      ['advance', 'last'],
      ['retreat', 'first'],
    ]) {
      const answer = await draft.client.post(`${draft.path}/${direction}`);
      expectRefusal(answer, 422, { message: `Already on the ${end} step.` });
    }
    for (const stepNumber of [4, 5]) await insertStep(draft, { stepNumber });
    expect(await stepOf(draft)).toBe(1);
    expect((await draft.client.post(`${draft.path}/advance`)).body.data.current_step).toBe(2);
  });

  it('comes back to a step that is inserted again with its id', async () => {
    const draft = await draftOn(2);
    const { id, stepNumber, title } = draft.steps[2]!;
    await deleteSteps(draft, 2);
    await insertStep(draft, { id, stepNumber, title });
    expect([await stepOf(draft), await deletedOf(draft)]).toEqual([3, []]);
  });

  it('leaves nothing behind when its form is deleted', async () => {
    const draft = await draftOn(2);
    await deleteSteps(draft, 2);
    expect(await deletedOf(draft)).toHaveLength(1);
    await manager().delete(Submission, { formId: draft.form.id });
    await manager().delete(Form, { id: draft.form.id });
    expect(await deletedOf(draft)).toEqual([]);
  });

  itOnOneServer('is on position 1 after TRUNCATE of all steps', () =>
    inOwnDatabase(async (own) => {
      const draft = await newDraft(own, [{}, {}, {}]);
      await advance(draft, 2);
      const { manager: panel } = own.database.dataSource;
      const [first, second, third] = draft.steps.map(({ id }) => id);
      await panel.delete(Step, { id: second! });
      await own.service.hearing(() => panel.query('truncate steps cascade'));
      expect(await stepOf(draft)).toBe(1);
      const deleted = (await panel.find(DeletedStep, { order: { id: 'asc' } })).map(({ id, movedTo }) => [
        id,
        movedTo,
      ]);
      expect(deleted).toEqual([first, second, third].map((id) => [id, null]));
    }),
  );

  it('follows the version before, which writes only the position', async () => {
    const draft = await draftOn(1);
    await query('update submissions set current_step = current_step + 1 where uuid = $1', [draft.uuid]);
    expect(await stepOf(draft)).toBe(3);
    await advance(draft);
    await order(draft, 3, 0, 1, 2);
    expect(await stepOf(draft)).toBe(1);

    const { form, userId, client } = draft;
    const uuid = crypto.randomUUID();
    await query('insert into submissions (uuid, form_id, user_id) values ($1, $2, $3)', [
      uuid,
      form.id,
      userId,
    ]);
    const begun = { client, path: `/api/v1/submissions/${uuid}` };
    expect(await stepOf(begun)).toBe(1);
    await query('update submissions set current_step = 9 where uuid = $1', [uuid]);
    expect(await stepOf(begun)).toBe(4);
    expect((await client.post(`${begun.path}/retreat`)).body.data.current_step).toBe(3);
    await order(draft, 0, 1, 2, 3);
    expect(await stepOf(begun)).toBe(2);
  });

  describe('by "forms import"', () => {
    const edit = async ({ form }: Draft, change: (definition: any) => void) => {
      const { dataSource } = use.database;
      const definition = (await exportForm(dataSource, form.slug)) as FormDefinition;
      change(definition);
      const text = JSON.stringify(definition);
      await hearing(() => importForms(dataSource, [{ name: 'form.json', text }]));
    };
    const renumber = (definition: any) =>
      definition.steps.forEach((step: any, index: number) => (step.step_number = index + 1));
    it('in another order, which changes no field', async () => {
      const draft = await draftOn(2);
      const fields = await query('select * from fields where form_id = $1 order by id', [draft.form.id]);
      await edit(draft, (definition) => {
        definition.steps = [0, 2, 1, 3].map((index) => definition.steps[index]);
        renumber(definition);
      });
      expect(await stepOf(draft)).toBe(2);
      expect(await query('select * from fields where form_id = $1 order by id', [draft.form.id])).toEqual(
        fields,
      );
    });

    it('without the step of the draft, in another order: it is on the step that was before', async () => {
      const draft = await draftOn(2);
      await edit(draft, (definition) => {
        const [a, b, c, d] = definition.steps;
        a.fields.push({ ...c.fields[0], order: 2 });
        definition.steps = [d, a, b, { step_number: 9, title: 'New', fields: [] }];
        renumber(definition);
      });
      expect(await stepOf(draft)).toBe(3);
      expect(await deletedOf(draft)).toEqual([[draft.steps[2]!.id, draft.steps[1]!.id]]);
    });

    it('without the first steps: a draft there is on the first', async () => {
      const draft = await draftOn(1);
      await edit(draft, (definition) => {
        definition.steps = definition.steps.slice(2);
        definition.steps[0].step_number = 7;
        definition.steps[1].step_number = 5;
      });
      expect(await stepOf(draft)).toBe(1);
      await advance(draft);
      expect(await stepOf(draft)).toBe(2);
    });
  });
});
