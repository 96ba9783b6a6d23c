import type { PoolClient } from 'pg';
import { type BatchDistribution, type BatchRunner, StatementBatcher } from './statement-batcher.js';
import { OverloadedError } from './database-errors.js';
import { Semaphore } from './semaphore.js';
import { integer, batchedStatement, text } from './statement.js';

const DEFINITION = [
  'names.find',
  { id: 'integer', kind: 'text' },
  (input: string) => `select position, id, name from ${input} join names using (id)`,
  { id: integer, name: text },
] as const;
const FIND = batchedStatement(...DEFINITION);
const FIND_OF_A_KIND = batchedStatement(...DEFINITION, { batchedBy: 'kind' });
const [NAME, , ...REST] = DEFINITION;
const BY_UUID = batchedStatement(NAME, { id: 'uuid', kind: 'text' }, ...REST, { batchedBy: 'kind' });
const LOCK = batchedStatement(...DEFINITION, {
  locks: { join: 'join names using (id)', lock: 'for update of names' },
});

interface Name {
  readonly id: number;
  readonly name: string;
}

/** The ids of the first requests. While the first requests are in flight, further requests gather in a batch. */
const FEW = [1, 2];

const soon = () => performance.now() + 10_000;
const failure = (code: string) => Object.assign(new Error(code), { code });

/** A database with a name for each id, except 0 and locked ids. It responds when the test calls `answer` or `fail`. */
function aDatabase() {
  const statements: { name: string; ids: number[]; answer: () => void; fail: (error: Error) => void }[] = [];
  const locked = new Set<number>();
  const cancelled: PoolClient[] = [];
  const runBatch = (
    client: PoolClient,
    { name }: { name: string },
    requests: readonly (readonly unknown[])[],
  ) =>
    new Promise<unknown[]>((resolve, reject) => {
      const ids = requests.map(([id]) => Number(id));
      const rows = ids.map((id) => (id === 0 || locked.has(id) ? undefined : { id, name: `name ${id}` }));
      const answer = () => {
        resolve(rows);
      };
      statements.push({ name, ids, answer, fail: reject });
      failures.set(client, reject);
    });
  const failures = new Map<PoolClient, (error: Error) => void>();
  return {
    statements,
    locked,
    cancelled,
    runner: {
      maxBatches: 100,
      use: (_until, work) => work({} as PoolClient),
      cancel: (client) => {
        cancelled.push(client);
        failures.get(client)?.(failure('57014'));
      },
      runBatch: runBatch as BatchRunner['runBatch'],
    } satisfies BatchRunner,
    /** Answers all statements, including new ones, until there are no more. */
    answerAll: async () => {
      for (let at = 0; at < statements.length; at += 1) {
        statements[at]?.answer();
        await settled();
      }
    },
  };
}

const settled = async () => {
  for (let turns = 0; turns < 10; turns += 1) await Promise.resolve();
};

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

describe('requests for a statement', () => {
  it('are executed alone while few are in flight, and otherwise in a batch when a request in flight ends', async () => {
    const { runner, statements, answerAll } = aDatabase();
    const batches = new StatementBatcher<Name>(FIND, runner);
    const answers = Promise.all([...FEW, 9, 0, 11].map((id) => batches.add([id, 'a'], soon())));
    expect(statements.map(({ ids }) => ids)).toEqual(FEW.map((id) => [id]));
    statements[0]?.answer();
    await settled();
    expect(statements.slice(FEW.length)).toMatchObject([{ ids: [9, 0, 11] }]);
    await answerAll();
    expect((await answers).map((row) => row?.name)).toEqual(
      [...FEW, 9, undefined, 11].map((id) => id && `name ${id}`),
    );
  });

  it('wait 5 milliseconds at most for requests in flight', async () => {
    const { runner, statements, answerAll } = aDatabase();
    const batches = new StatementBatcher<Name>(FIND, runner);
    const answers = Promise.all([...FEW, 9, 10].map((id) => batches.add([id, 'a'], soon())));
    await jest.advanceTimersByTimeAsync(4);
    expect(statements).toHaveLength(FEW.length);
    await jest.advanceTimersByTimeAsync(1);
    expect(statements[FEW.length]?.ids).toEqual([9, 10]);
    await answerAll();
    expect(await answers).toHaveLength(FEW.length + 2);
  });

  it('are executed in several batches if they are many, long, or of different groups', async () => {
    const { runner, statements, answerAll } = aDatabase();
    const batches = new StatementBatcher<Name>(FIND_OF_A_KIND, runner);
    const busy = FEW.map((id) => batches.add([id, 'a'], soon()));
    const many = Array.from({ length: 40 }, (_, index) => batches.add([index + 1, 'a'], soon()));
    const others = [batches.add([1, 'b'], soon()), batches.add([2, 'b'], soon())];
    const long = [1, 2].map((id) => batches.add([id, 'c'.repeat(20_000)], soon()));
    // These four requests are executed at once, because few requests of their groups are in flight.
    expect(statements.slice(2).map(({ ids }) => ids)).toEqual([[1], [2], [1], [2]]);
    await jest.advanceTimersByTimeAsync(5);
    expect(statements.slice(6).map(({ ids }) => ids.length)).toEqual([32, 8]);
    await answerAll();
    expect(await Promise.all([...busy, ...many, ...others, ...long])).toHaveLength(46);
  });

  it.each(['23503', '22003', '0A000', '57014', '54000', '53200'])(
    'are executed alone if one of them made the batch fail: %s',
    async (code) => {
      const { runner, statements, answerAll } = aDatabase();
      const batches = new StatementBatcher<Name>(FIND, runner);
      const busy = FEW.map((id) => batches.add([id, 'a'], soon()));
      const good = batches.add([5, 'a'], soon());
      const bad = expect(batches.add([6, 'a'], soon())).rejects.toThrow(code);
      await jest.advanceTimersByTimeAsync(5);
      statements[2]?.fail(failure(code));
      await settled();
      expect(statements.slice(3)).toMatchObject([{ ids: [5] }, { ids: [6] }]);
      statements[4]?.fail(failure(code));
      await bad;
      await answerAll();
      expect(await good).toEqual({ id: 5, name: 'name 5' });
      await Promise.all(busy);
    },
  );

  it('share a batch in distributed tables only if their rows are on one worker', async () => {
    const { runner, statements, answerAll } = aDatabase();
    // Even ids are on one worker, odd ids on another.
    const distribution: BatchDistribution = {
      fewInFlight: 1,
      serverOf: (_, [id]) => Number(String(id).slice(-1)) % 2,
    };
    const batches = new StatementBatcher<Name>(BY_UUID, { ...runner, distribution });
    const busy = [12, 11].map((id) => batches.add([id, 'a'].map(String), soon()));
    const answers = [22, 21, 24, 23, 26].map((id) => batches.add([id, 'a'].map(String), soon()));
    const ofAnotherKind = batches.add(['28', 'b'], soon());
    await jest.advanceTimersByTimeAsync(5);
    expect(statements.slice(2).map(({ ids }) => ids)).toEqual([[28], [22, 24, 26], [21, 23]]);
    await answerAll();
    expect(await Promise.all([...busy, ...answers, ofAnotherKind])).toHaveLength(8);
  });

  it('all fail if Citus cancels their batch, because the worker may have committed', async () => {
    const { runner, statements, answerAll } = aDatabase();
    const distribution: BatchDistribution = { fewInFlight: 1, serverOf: () => 1 };
    const batches = new StatementBatcher<Name>(BY_UUID, { ...runner, distribution });
    const busy = batches.add(['1', 'a'], soon());
    const cancelled = Promise.allSettled([5, 6].map((id) => batches.add([id, 'a'].map(String), soon())));
    await jest.advanceTimersByTimeAsync(5);
    expect(statements[1]).toMatchObject({ ids: [5, 6] });
    statements[1]?.fail(failure('57014'));
    expect(await cancelled).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
    expect(statements).toHaveLength(2);
    await answerAll();
    await busy;
  });

  it.each(['57P01', '40P01', '53100'])('all fail if the database fails: %s', async (code) => {
    const { runner, statements, answerAll } = aDatabase();
    const batches = new StatementBatcher<Name>(FIND, runner);
    const busy = FEW.map((id) => batches.add([id, 'a'], soon()));
    const lost = Promise.allSettled([5, 6].map((id) => batches.add([id, 'a'], soon())));
    await jest.advanceTimersByTimeAsync(5);
    statements[2]?.fail(failure(code));
    expect(await lost).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
    expect(statements).toHaveLength(3);
    await answerAll();
    await Promise.all(busy);
  });

  it('get no row if their row is locked, and do not delay the rest of their batch', async () => {
    const { runner, statements, locked, answerAll } = aDatabase();
    const batches = new StatementBatcher<Name>(LOCK, runner);
    locked.add(10);
    const answers = Promise.all([1, 2, 9, 10, 0].map((id) => batches.add([id, 'a'], soon())));
    await jest.advanceTimersByTimeAsync(5);
    await answerAll();
    expect(statements.slice(2).map(({ ids }) => ids)).toEqual([[9, 10, 0]]);
    expect((await answers).map((row) => row?.id)).toEqual([1, 2, 9, undefined, undefined]);
    expect(LOCK.text).toContain('skip locked');
  });

  it('leave connections to other groups if the database does not respond', async () => {
    const { runner, statements, answerAll } = aDatabase();
    const batches = new StatementBatcher<Name>(FIND_OF_A_KIND, { ...runner, maxBatches: 4 });
    const all: Promise<unknown>[] = [];
    for (let id = 1; id <= 10; id += 1) {
      all.push(batches.add([id, 'a'], soon()));
      await jest.advanceTimersByTimeAsync(6);
    }
    expect(statements.map(({ ids }) => ids)).toEqual([[1], [2], [3], [4]]);
    const late = expect(batches.add([11, 'a'], performance.now() + 100)).rejects.toThrow(OverloadedError);
    all.push(batches.add([1, 'b'], soon()));
    expect(statements[4]?.ids).toEqual([1]);
    const answers = Promise.allSettled(all);
    await jest.advanceTimersByTimeAsync(10_000);
    await late;
    await answerAll();
    expect((await answers).filter(({ status }) => status === 'rejected')).toHaveLength(6);
  });

  it('are executed in smaller batches while batches are slow', async () => {
    const { runner, statements, answerAll } = aDatabase();
    const batches = new StatementBatcher<Name>(FIND, runner);
    const all: Promise<unknown>[] = [];
    const sizes = async (count: number) => {
      // Keep new requests in flight, so that the requests below wait for them. No request waits for requests that are
      // older than 5 milliseconds.
      all.push(...FEW.map((id) => batches.add([id, 'a'], soon())));
      const before = statements.length;
      all.push(...Array.from({ length: count }, (_, index) => batches.add([index, 'a'], soon())));
      await jest.advanceTimersByTimeAsync(5);
      return statements.slice(before).map(({ ids }) => ids.length);
    };
    const answer = async (milliseconds: number) => {
      await jest.advanceTimersByTimeAsync(milliseconds);
      statements.at(-1)?.answer();
      await settled();
    };
    expect(await sizes(32)).toEqual([32]);
    await answer(800);
    expect(await sizes(24)).toEqual([8, 8, 8]);
    // The last batch was full and fast.
    await answer(100);
    expect(await sizes(32)).toEqual([16, 16]);
    await answerAll();
    await Promise.all(all);
  });

  it('are not executed in larger batches after batches that got no connection', async () => {
    const { runner, statements, answerAll } = aDatabase();
    let isReachable = true;
    const batches = new StatementBatcher<Name>(FIND, {
      ...runner,
      use: (until, work) => (isReachable ? runner.use(until, work) : Promise.reject(failure('ECONNREFUSED'))),
    });
    const sendMany = () =>
      Promise.allSettled(Array.from({ length: 32 }, (_, index) => batches.add([index, 'a'], soon())));
    const slow = sendMany();
    await jest.advanceTimersByTimeAsync(805);
    await answerAll();
    await slow;
    isReachable = false;
    for (let round = 0; round < 5; round += 1) {
      const lost = sendMany();
      await jest.advanceTimersByTimeAsync(5);
      expect((await lost).every(({ status }) => status === 'rejected')).toBe(true);
    }
    isReachable = true;
    const before = statements.length;
    const all = sendMany();
    await jest.advanceTimersByTimeAsync(5);
    await answerAll();
    await all;
    // 30 requests took 800 milliseconds, so 7 should take less than 200.
    expect(Math.max(...statements.slice(before, before + 4).map(({ ids }) => ids.length))).toBe(7);
  });

  it('are not executed in larger batches after batches that failed quickly', async () => {
    const { runner, statements } = aDatabase();
    const batches = new StatementBatcher<Name>(FIND, runner);
    const sizes: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const before = statements.length;
      const lost = Promise.allSettled(
        Array.from({ length: 32 }, (_, index) => batches.add([index, 'a'], soon())),
      );
      await jest.advanceTimersByTimeAsync(round === 0 ? 805 : 5);
      for (let at = before; at < statements.length; at += 1) {
        statements[at]?.fail(failure('57P01'));
        await settled();
      }
      await lost;
      sizes.push(Math.max(...statements.slice(before).map(({ ids }) => ids.length)));
    }
    expect(sizes).toEqual([30, 7, 7, 7, 7]);
  });

  it('are cancelled if their batch takes a second, then executed alone within their own deadlines', async () => {
    const { runner, statements, cancelled, answerAll } = aDatabase();
    const batches = new StatementBatcher<Name>(FIND, runner);
    const busy = FEW.map((id) => batches.add([id, 'a'], soon()));
    const good = batches.add([5, 'a'], soon());
    const slow = expect(batches.add([6, 'a'], soon())).rejects.toThrow('Query read timeout');
    const late = expect(batches.add([7, 'a'], performance.now() + 900)).rejects.toThrow(OverloadedError);
    await jest.advanceTimersByTimeAsync(1_004);
    expect(cancelled).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    await late;
    expect(cancelled).toHaveLength(1);
    expect(statements.slice(2).map(({ ids }) => ids)).toEqual([[5, 6, 7], [5], [6]]);
    // A request that is executed alone is not cancelled after a second.
    await jest.advanceTimersByTimeAsync(1_500);
    expect(cancelled).toHaveLength(1);
    statements[4]?.fail(new Error('Query read timeout'));
    await slow;
    await answerAll();
    expect(await good).toEqual({ id: 5, name: 'name 5' });
    await Promise.all(busy);
  });

  it('that are executed alone after a failure wait for permits like others', async () => {
    const { runner, statements, answerAll } = aDatabase();
    const batches = new StatementBatcher<Name>(FIND, { ...runner, maxBatches: 3 });
    const busy = FEW.map((id) => batches.add([id, 'a'], soon()));
    const all = [5, 6, 7, 8].map((id) => batches.add([id, 'a'], soon()));
    await jest.advanceTimersByTimeAsync(5);
    statements[2]?.fail(failure('22003'));
    await settled();
    expect(statements.slice(3).map(({ ids }) => ids)).toEqual([[5]]);
    await answerAll();
    expect(await Promise.all([...busy, ...all])).toHaveLength(6);
  });

  it.each<[string, number]>([
    ['for a permit', 1],
    ['for a connection', 100],
  ])('that share a batch keep their own deadlines while it waits %s', async (_, maxBatches) => {
    const { runner, statements, answerAll } = aDatabase();
    const connections = new Semaphore(1);
    const batches = new StatementBatcher<Name>(FIND, {
      ...runner,
      maxBatches,
      use: async (until, work) => {
        const acquired = connections.acquire(until);
        if (acquired !== undefined) await acquired;
        return runner.use(until, work).finally(() => {
          connections.release();
        });
      },
    });
    const times: Record<number, number> = {};
    const add = (id: number) =>
      batches.add([id, 'a'], performance.now() + 500).then(
        () => 'answered',
        (error: unknown) => {
          times[id] = performance.now();
          return (error as Error).constructor.name;
        },
      );
    const startedAt = performance.now();
    const first = add(1);
    const opener = add(5);
    await jest.advanceTimersByTimeAsync(300);
    const joined = add(6);
    await jest.advanceTimersByTimeAsync(300);
    expect(times).toEqual({ 5: startedAt + 500 });
    const last = add(7);
    await jest.advanceTimersByTimeAsync(150);
    // The first statement ends before the deadlines of the later requests.
    await answerAll();
    expect(statements.map(({ ids }) => ids)).toEqual([[1], [6, 7]]);
    expect(await Promise.all([first, opener, joined, last])).toEqual([
      'answered',
      'OverloadedError',
      'answered',
      'answered',
    ]);
  });

  it('are not executed after they were rejected, even if the others are executed again', async () => {
    const { runner, statements, answerAll } = aDatabase();
    const batches = new StatementBatcher<Name>(FIND, runner);
    const busy = FEW.map((id) => batches.add([id, 'a'], soon()));
    const late = expect(batches.add([9, 'a'], performance.now() + 2)).rejects.toThrow(OverloadedError);
    const bad = expect(batches.add([10, 'a'], soon())).rejects.toThrow('23503');
    await jest.advanceTimersByTimeAsync(5);
    statements[2]?.fail(failure('23503'));
    await Promise.all([late, bad]);
    await answerAll();
    await Promise.all(busy);
    expect(statements.map(({ ids }) => ids)).toEqual([...FEW.map((id) => [id]), [10]]);
  });

  it('are rejected after their deadline', async () => {
    const { runner, statements, answerAll } = aDatabase();
    const batches = new StatementBatcher<Name>(FIND, runner);
    const busy = FEW.map((id) => batches.add([id, 'a'], soon()));
    const inTime = batches.add([5, 'a'], soon());
    const late = expect(batches.add([6, 'a'], performance.now() + 2)).rejects.toThrow(OverloadedError);
    await jest.advanceTimersByTimeAsync(5);
    await late;
    expect(statements[2]).toMatchObject({ ids: [5] });
    await answerAll();
    expect(await Promise.all([...busy, inTime])).toHaveLength(3);
  });
});
