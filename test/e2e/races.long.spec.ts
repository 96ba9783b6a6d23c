import { setTimeout as pause } from 'node:timers/promises';
import { DefinitionError } from '../../src/forms/definitions/definition-error.js';
import { exportForm } from '../../src/forms/definitions/export-form.js';
import { importForms } from '../../src/forms/definitions/import-forms.js';
import { asRead } from '../support/answers.js';
import { type Client, client as clientOf } from '../support/client.js';
import { complete } from '../support/draft-requests.js';
import { eventually } from '../support/eventually.js';
import { createDraft } from '../support/drafts.js';
import { buildForm, type BuiltForm } from '../support/forms.js';
import { expectInvalid, expectRefusal } from '../support/refusal.js';
import { newUser, type Service, startService, useOwnService } from '../support/service.js';

const ROUNDS = 40;
const COMPLETED = { message: 'The submission is already completed.' };

type Call<T> = () => Promise<T>;

/** Runs two calls. The round decides which call begins, and whether the second call waits for the first. */
async function race<A, B>(round: number, one: Call<A>, other: Call<B>): Promise<[A, B]> {
  const isSwapped = round % 2 === 1;
  const [begin, follow]: [Call<unknown>, Call<unknown>] = isSwapped ? [other, one] : [one, other];
  const first = begin();
  if (round % 4 >= 2) await first;
  const answers = await Promise.all([first, follow()]);
  return (isSwapped ? answers.reverse() : answers) as [A, B];
}

describe('races on two instances with one database', () => {
  const use = useOwnService({ COMPLETION_POLICY: 'strict' });
  let replica: Service;
  beforeAll(async () => {
    replica = await startService(use.database, { COMPLETION_POLICY: 'strict' });
  });
  afterAll(() => replica.close());

  /** Creates a user with a client of each instance. `begin` creates a submission and returns its path. */
  async function newRacers(built: BuiltForm) {
    const { client: one, plainToken } = await newUser(use);
    const two = clientOf(replica.url, { Authorization: `Bearer ${plainToken}` });
    return { one, two, begin: async () => (await createDraft(one, built)).path };
  }
  const formWith = (steps: Parameters<typeof buildForm>[1]) => buildForm(use.database.dataSource, steps);
  const stateOf = async (client: Client, path: string) => (await client.get(path)).body.data;

  it('advance against completion: the step moves before the completion or not at all', async () => {
    const { one, two, begin } = await newRacers(await formWith({ steps: [{}, {}, {}] }));
    const seen = new Set<number>();
    for (let round = 0; round < ROUNDS; round += 1) {
      const path = await begin();
      const [moved, completed] = await race(
        round,
        () => one.post(`${path}/advance`),
        () => complete({ client: two, path }),
      );

      expect(completed.status).toBe(200);
      if (moved.status !== 200) expectRefusal(moved, 422, COMPLETED);
      const currentStep = moved.status === 200 ? 2 : 1;
      expect(completed.body.data).toMatchObject({ status: 'completed', current_step: currentStep });
      expect(await stateOf(one, path)).toEqual(asRead(completed.body.data));
      seen.add(moved.status);
    }
    expect(seen).toEqual(new Set([200, 422]));
  });

  it('values against strict completion: the completed values are those that were checked (S4)', async () => {
    const { one, two, begin } = await newRacers(await formWith({ steps: [{ name: { isRequired: true } }] }));
    const put = (path: string, value: string) =>
      one.post(`${path}/values`, { values: [{ field_code: 'name', value }] });
    const seen = new Set<string>();
    for (let round = 0; round < ROUNDS * 2; round += 1) {
      const path = await begin();
      // The write either fills the required field or empties it.
      const empties = round % 8 < 4;
      if (empties) await put(path, 'Ada');
      const [stored, completed] = await race(
        round,
        () => put(path, empties ? '' : 'Ada'),
        () => complete({ client: two, path }),
      );

      const { status, values } = await stateOf(one, path);
      if (stored.status !== 200) expectRefusal(stored, 422, COMPLETED);
      if (completed.status !== 200) expectInvalid(completed, 'name');
      expect(status).toBe(completed.status === 200 ? 'completed' : 'draft');
      if (status === 'completed') expect(values).toMatchObject([{ value: 'Ada' }]);
      expect([200, 422]).toContain(stored.status);
      seen.add(`${empties ? 'emptied' : 'filled'} ${stored.status} ${completed.status}`);
    }
    expect([...seen].sort()).toEqual([
      'emptied 200 422',
      'emptied 422 200',
      'filled 200 200',
      'filled 200 422',
    ]);
  });

  it('import of a form against upserts of values: no value is lost, and no call gets 500', async () => {
    const built = await formWith({ steps: [{ name: {}, extra: {}, more: {} }] });
    const { one, two, begin } = await newRacers(built);
    const { dataSource } = use.database;
    const whole = (await exportForm(dataSource, built.form.slug))!;
    const [step] = whole.steps;
    const smaller = { ...whole, steps: [{ ...step!, fields: step!.fields.slice(0, 1) }] };
    const importing = async (definition: object) => {
      try {
        await importForms(dataSource, [{ name: 'form.json', text: JSON.stringify(definition) }]);
        return true;
      } catch (error) {
        // The import fails and changes nothing if the fields have values by now, or if the form keeps changing.
        expect(error).toBeInstanceOf(DefinitionError);
        return false;
      }
    };
    const seen = new Set<string>();
    for (let round = 0; round < ROUNDS; round += 1) {
      const paths = [await begin(), await begin(), await begin()];
      const order = round % 2 === 0 ? ['extra', 'more'] : ['more', 'extra'];
      const values = order.map((field_code) => ({ field_code, value: `round ${round}` }));
      const upsert = (path: string, call: number) =>
        (call % 2 === 0 ? one : two).post(`${path}/values`, { values });
      const [imported, stored] = await race(
        round,
        () => importing(smaller),
        async () => {
          // An import takes longer than an upsert, so vary the moment of the import at which the upserts start.
          if (round % 4 === 0) await pause(round);
          return Promise.all(paths.map(upsert));
        },
      );

      for (const [call, answer] of stored.entries()) {
        seen.add(`${imported ? 'dropped' : 'kept'} ${answer.status}`);
        if (answer.status === 200) {
          const held = (await stateOf(one, paths[call]!)).values;
          expect(held.map(({ value }: { value: string }) => value)).toEqual(values.map(({ value }) => value));
        } else {
          expectInvalid(answer, 'values.0.field_code', 'values.1.field_code');
        }
      }
      // Restore the form for the next round.
      await dataSource.query('delete from submission_values where form_id = $1', [built.form.id]);
      await eventually('the whole form is back', () => importing(whole));
      for (const client of [one, two]) {
        const knowsAll = async () => {
          const { body } = await client.get(`/api/v1/forms/${built.form.uuid}/schema`);
          return body.data.steps[0].fields.length === step!.fields.length;
        };
        await eventually('it has been heard of', knowsAll);
      }
    }
    expect([...seen].sort()).toEqual(['dropped 422', 'kept 200']);
  });
});
