import { UnreachedServerError } from '../../database/database-errors.js';
import type { Queryable } from '../../database/distribution.js';
import { batchedStatement, type Execute, integer, statement } from '../../database/statement.js';
import { Citus } from './citus.js';
import { Shards, type Shard } from './shards.js';

const UNREACHED = new Error('could not establish any connections to the node 10.0.3.2:5432 after 1000 ms');
const LOST = new Error('server closed the connection unexpectedly');

// The fake timers of Jest do not replace this function.
jest.mock('node:timers/promises', () => ({
  setTimeout: (milliseconds: number, value: unknown, { signal }: { signal: AbortSignal }) =>
    new Promise((resolve, reject) => {
      setTimeout(() => resolve(value), milliseconds);
      signal.addEventListener('abort', reject);
    }),
}));

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** Four shards, alternately on these two workers. */
const shardsOn = (...workers: readonly [number, number]): Shard[] =>
  [-(2 ** 31), -(2 ** 30), 0, 2 ** 30].map((minimum, at) => {
    return { id: at, minimum, worker: workers[at % 2]!, tables: { submissions: `submissions_${at}` } };
  });
const HALVES = shardsOn(1, 2);
/** The shards after worker 3 has replaced worker 1. */
const MOVED = shardsOn(3, 2);
const uuidOn = (worker: number) => new Shards(HALVES).newUuid((shard) => shard.worker === worker)!;

const CREATE = batchedStatement(
  'submissions.create',
  { uuid: 'uuid', user_id: 'integer' },
  (input) => `insert into submissions select * from ${input} returning 1, 2`,
  { id: integer },
);
const READ = statement('submissions.find', 'select current_step from submissions where uuid = $1', {
  id: integer,
});

describe('Citus', () => {
  const all: Citus[] = [];
  afterEach(() => {
    for (const one of all.splice(0)) one.close();
  });

  /** Citus with these shards at first, whose workers respond to probes as `probe` says. */
  async function citus(probe = jest.fn((_uuid: string) => Promise.reject<unknown>(UNREACHED))) {
    const state = { shards: HALVES };
    const query = (sql: string, values?: unknown[]) => {
      if (sql.includes('pg_catalog')) return Promise.resolve([{}]);
      return values === undefined ? Promise.resolve(state.shards) : probe(values[0] as string);
    };
    const opened = (await Citus.find({ query } as Queryable))!;
    all.push(opened);
    /** Executes a statement on a submission, which fails with the error. Returns the error that is thrown. */
    const failing = (error: Error, uuid: string, statement: typeof READ | typeof CREATE = READ) =>
      opened
        .execute<unknown>(statement, [statement === READ ? uuid : `{"${uuid}"}`], () => Promise.reject(error))
        .catch((thrown: unknown) => thrown);
    /** Returns the workers of 200 new submissions. */
    const workersUsed = () => {
      const shards = new Shards(state.shards);
      return new Set(Array.from({ length: 200 }, () => shards.holding(opened.newUuid()).worker));
    };
    return { opened, state, failing, workersUsed, probe };
  }

  it('executes statements on submissions of one shard on its tables, and other statements on the coordinator', async () => {
    const { opened } = await citus();
    const sent: unknown[][] = [];
    const execute: Execute = ({ name, text }, values) => {
      sent.push([name, text, values]);
      return Promise.resolve([]);
    };
    const uuid = uuidOn(1);
    const { id } = new Shards(HALVES).holding(uuid);
    await opened.execute(READ, [uuid], execute);
    await opened.execute(CREATE, [`{"${uuid}"}`, '{1}'], execute);
    await opened.execute(
      statement('tokens.find', 'select from api_tokens where uuid = $1', {}),
      [uuid],
      execute,
    );
    expect(sent).toEqual([
      [
        'submissions.find.on_shard',
        expect.any(String),
        [
          uuid,
          id,
          `select current_step from submissions_${id} as submissions where uuid = $1`,
          `{"${uuid}"}`,
        ],
      ],
      [
        'submissions.create.on_shard',
        expect.any(String),
        [
          uuid,
          id,
          expect.stringMatching(`^insert into submissions_${id} as submissions `),
          expect.any(String),
        ],
      ],
      ['tokens.find', '/* tokens.find */ select from api_tokens where uuid = $1', [uuid]],
    ]);
    expect([opened.serverOf(CREATE, [uuid, 1]), opened.serverOf(CREATE, [1])]).toEqual([id, undefined]);
  });

  it('lets a write return a row, because PL/pgSQL executes no statement without rows in a loop', async () => {
    const { opened } = await citus();
    const execute = jest.fn<Promise<never[]>, Parameters<Execute>>(() => Promise.resolve([]));
    const write = (text: string) => opened.execute(statement(text, text, {}), [uuidOn(1)], execute);
    const update = 'update submissions set value_count = 1 where uuid = $1';
    for (const text of [update, `${update} returning 2`]) await write(text);
    const sent = execute.mock.calls.map(([, [, , text]]) => text);
    expect(sent).toEqual([
      expect.stringMatching(/ = \$1 returning true$/),
      expect.stringMatching(/ = \$1 returning 2$/),
    ]);
  });

  it('uses all workers while they respond, and returns UUIDs of version 7', async () => {
    const { opened, workersUsed } = await citus();
    expect(workersUsed()).toEqual(new Set([1, 2]));
    expect(opened.newUuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  });

  it.each([
    ['that is unreachable', UNREACHED],
    ['whose connection was lost', LOST],
    ['that did not respond in time', new Error('Query read timeout')],
  ])('does not create submissions on a worker %s', async (_, error) => {
    const { failing, workersUsed } = await citus();
    await failing(error, uuidOn(1));
    expect(workersUsed()).toEqual(new Set([2]));
  });

  it.each(['40001', '55P03', '23503', '53300'])('still uses a worker after an error %s', async (code) => {
    const { failing, workersUsed } = await citus();
    const error = Object.assign(new Error('no worker is lost'), { code });
    expect(await failing(error, uuidOn(1))).toBe(error);
    expect(workersUsed()).toEqual(new Set([1, 2]));
  });

  it('uses any worker if none responds', async () => {
    const { failing, workersUsed } = await citus();
    await failing(UNREACHED, uuidOn(1));
    await failing(UNREACHED, uuidOn(2));
    expect(workersUsed()).toEqual(new Set([1, 2]));
  });

  it('uses a worker again when it responds to a probe with the first submission that failed', async () => {
    const { failing, workersUsed, probe } = await citus();
    probe.mockRejectedValueOnce(UNREACHED).mockResolvedValueOnce([]);
    const uuid = uuidOn(1);
    await failing(UNREACHED, uuid);
    await failing(UNREACHED, uuidOn(1));
    await jest.advanceTimersByTimeAsync(1_000);
    expect(workersUsed()).toEqual(new Set([2]));
    await jest.advanceTimersByTimeAsync(1_000);
    expect(workersUsed()).toEqual(new Set([1, 2]));
    expect(probe.mock.calls).toEqual([[uuid], [uuid]]);
  });

  it('stops probing when it is closed', async () => {
    const { opened, failing, probe } = await citus();
    await failing(UNREACHED, uuidOn(1));
    opened.close();
    await jest.advanceTimersByTimeAsync(5_000);
    expect(probe).not.toHaveBeenCalled();
  });

  it('takes moved shards into account', async () => {
    const { state, failing, workersUsed } = await citus();
    state.shards = MOVED;
    await failing(UNREACHED, uuidOn(1));
    expect(workersUsed()).toEqual(new Set([2]));
  });

  it('lets another worker create a submission only if it was certainly not created, and a worker responds', async () => {
    const { failing } = await citus();
    const elsewhere = (error: Error, isWorthAnotherAttempt: boolean) =>
      new UnreachedServerError(error, isWorthAnotherAttempt);
    expect(await failing(UNREACHED, uuidOn(1), CREATE)).toMatchObject(elsewhere(UNREACHED, true));
    expect(await failing(UNREACHED, uuidOn(1))).toMatchObject(elsewhere(UNREACHED, false));
    expect(await failing(LOST, uuidOn(1), CREATE)).not.toBeInstanceOf(UnreachedServerError);
    expect(await failing(UNREACHED, uuidOn(2), CREATE)).toMatchObject(elsewhere(UNREACHED, false));
  });
});
