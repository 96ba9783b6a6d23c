import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { eventually } from '../support/eventually.js';
import { buildForm, type BuiltForm, type FormPlan } from '../support/forms.js';
import { PostgresServer } from './support/postgres-server.js';
import { type RunningService, startOn, useFaults } from './support/use-service.js';

const DRAFTS = 1_000;
const CLIENTS = 64;
const PLACES = { pottery: 1, weaving: 5, printing: 20 };
const NAMES = Object.keys(PLACES) as (keyof typeof PLACES)[];

let postgres: PostgresServer;
const use = useFaults(async () => {
  postgres = await PostgresServer.create([
    'logging_collector = on',
    `log_directory = 'said'`,
    'deadlock_timeout = 100ms',
  ]);
  return postgres.database();
});
const query = <Row>(sql: string, values: readonly unknown[] = []) =>
  use.database.dataSource.query<Row[]>(sql, [...values]);

interface Outcome {
  readonly status: number;
  readonly body: { readonly message: string; readonly errors?: Record<string, string[]> };
}

/** Inserts drafts like the service, each with a value of the field "workshop", and returns their paths. */
async function insertDrafts({ form, steps, fields }: BuiltForm, workshops: (index: number) => string) {
  const values = Array.from({ length: DRAFTS }, (_, index) => workshops(index));
  const rows = await query<{ uuid: string }>(
    `with drafts as (
       insert into submissions (uuid, form_id, user_id, step_id, step_position, begun_version)
       select gen_random_uuid(), $1, (select id from users limit 1), $2, 1, 1 from generate_series(1, $3) returning uuid
     ), numbered as (select uuid, row_number() over () as number from drafts), stored as (
       insert into submission_values (submission_uuid, form_id, field_id, is_repeatable, value)
       select uuid, $1, $4, false, ($5::text[])[number] from numbered
     )
     select uuid from numbered`,
    [form.id, steps[0]!.id, DRAFTS, fields.workshop!.id, values],
  );
  return rows.map(({ uuid }) => `/api/v1/submissions/${uuid}`);
}

/** Completes all drafts on two instances, and repeats each request until it is answered for good. */
class Completions {
  readonly outcomes: Outcome[] = [];
  readonly repeated: Record<string, number> = {};
  private readonly done: Promise<unknown>;

  constructor(
    readonly services: RunningService[],
    paths: readonly string[],
  ) {
    const left = [...paths];
    const worker = async (number: number) => {
      for (let path = left.pop(); path !== undefined; path = left.pop())
        this.outcomes.push(await this.complete(path, number));
    };
    this.done = Promise.all(Array.from({ length: CLIENTS }, (_, number) => worker(number)));
  }

  wait = () => this.done;

  private async complete(path: string, number: number): Promise<Outcome> {
    for (let attempt = number; ; attempt += 1) {
      const service = this.services[attempt % this.services.length]!;
      const answer = await service.own.patch(path, { status: 'completed' }).catch(() => undefined);
      const told = answer === undefined ? 'connection lost' : String(answer.status);
      if (answer !== undefined && answer.status !== 503) return answer;
      this.repeated[told] = (this.repeated[told] ?? 0) + 1;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

const start = () => startOn(use, { THROTTLE_LIMIT: '0', THROTTLE_USER_LIMIT: '0' });

const formWith = async (plan: FormPlan): Promise<BuiltForm> =>
  buildForm(use.database.dataSource, {
    steps: [{ workshop: { type: 'checkbox', options: NAMES } }],
    ...plan,
  });

const countOf = async (sql: string, { form }: BuiltForm) =>
  (await query<{ count: number }>(sql, [form.id]))[0]!.count;
const completed = (built: BuiltForm) =>
  countOf(`select count(*)::int from submissions where form_id = $1 and status = 'completed'`, built);

async function expectNoDeadlock(): Promise<void> {
  const folder = path.join(postgres.cluster, 'said');
  const logs = await Promise.all(
    (await readdir(folder)).map((name) => readFile(path.join(folder, name), 'utf8')),
  );
  expect(logs.join('\n').match(/deadlock detected/g)).toBeNull();
}

/** Counts the outcomes by status and message. */
function summary(outcomes: readonly Outcome[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, body } of outcomes) {
    const told = status === 200 ? '200' : `${status} ${body.message}`;
    counts[told] = (counts[told] ?? 0) + 1;
  }
  return counts;
}

it('a thousand completions at once for twenty places fill exactly twenty, while a service and the database are killed (D4)', async () => {
  const built = await formWith({ form: { maxSubmissions: 20 } });
  const paths = await insertDrafts(built, () => '');
  const services = [await start(), await start()];
  const completions = new Completions(services, paths);
  await eventually('outcomes', () => completions.outcomes.length >= 10, 60_000);
  services[0]!.child.kill('SIGKILL');
  services[0] = await start();
  const before = completions.outcomes.length;
  await eventually(
    'more outcomes',
    () => completions.outcomes.length >= Math.min(before + 100, DRAFTS),
    60_000,
  );
  await postgres.stop('SIGKILL');
  await postgres.start();
  await completions.wait();

  expect(summary(completions.outcomes)).toEqual({ '200': 20, '422 The form is full.': DRAFTS - 20 });
  expect(await completed(built)).toBe(20);
  expect(await countOf('select completed as count from form_counts where form_id = $1', built)).toBe(20);
  expect(
    Object.keys(completions.repeated).filter((told) => !['503', 'connection lost'].includes(told)),
  ).toEqual([]);
  await expectNoDeadlock();
}, 300_000);

it('options with places, chosen in different orders while limits change, are held by exactly so many (D6)', async () => {
  const built = await formWith({});
  const places = async (name: string, number: number | null) => {
    await query('update options set places = $3 where field_id = $1 and value = $2', [
      built.fields.workshop!.id,
      name,
      number,
    ]);
  };
  for (const name of NAMES) await places(name, PLACES[name]);
  const orders = [[0, 1, 2], [2, 1, 0], [1, 0], [0, 1], [2], [1, 2], [1], [2, 0], [0]];
  const paths = await insertDrafts(built, (index) =>
    orders[index % orders.length]!.map((at) => NAMES[at]).join(','),
  );
  const services = [await start(), await start()];
  const completions = new Completions(services, paths);
  await eventually('outcomes', () => completions.outcomes.length >= 10, 60_000);
  await query('update forms set max_submissions = 900 where id = $1', [built.form.id]);
  await places('printing', 10);
  await eventually('more outcomes', () => completions.outcomes.length >= 300, 60_000);
  services[1]!.child.kill('SIGKILL');
  services[1] = await start();
  await places('weaving', 3);
  await query('update forms set max_submissions = null where id = $1', [built.form.id]);
  await places('printing', 20);
  await completions.wait();

  expect(Object.keys(summary(completions.outcomes)).toSorted()).toEqual([
    '200',
    '422 The given data was invalid.',
  ]);
  const held = await query<{ value: string; held: number; taken: number; stored: number }>(
    `select value, taken, (select count(*)::int from held_options where option_id = id) as held,
            (select count(*)::int from submission_values stored join submissions on uuid = submission_uuid and status = 'completed'
              where stored.field_id = options.field_id and options.value = any (string_to_array(stored.value, ','))) as stored
       from options join option_counts on option_id = id where field_id = $1 order by value`,
    [built.fields.workshop!.id],
  );
  for (const { value, held: number, taken, stored } of held) {
    expect([value, number, stored]).toEqual([value, taken, taken]);
    expect([value, taken <= PLACES[value as keyof typeof PLACES]]).toEqual([value, true]);
  }
  expect(held.find(({ value }) => value === 'pottery')).toMatchObject({ taken: 1 });
  const succeeded = completions.outcomes.filter(({ status }) => status === 200).length;
  expect(await completed(built)).toBe(succeeded);
  await expectNoDeadlock();
}, 300_000);
