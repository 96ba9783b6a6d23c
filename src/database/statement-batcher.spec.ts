import type { PoolClient } from 'pg';
import { ONE_SERVER } from './distribution.js';
import { type BatchRunner, StatementBatcher } from './statement-batcher.js';
import { OverloadedError } from './database-errors.js';
import { type Deadline, Semaphore } from './semaphore.js';
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

const failure = (code: string) => Object.assign(new Error(code), { code });

const settled = async () => {
  for (let turns = 0; turns < 10; turns += 1) await Promise.resolve();
};

/**
 * A batcher on a database with a name for each id, except 0 and locked ids. The database responds when the test calls `answer` or
 * `fail` of a statement.
 */
function batcher(
  statement: typeof FIND = FIND,
  changed: (runner: BatchRunner) => Partial<BatchRunner> = () => ({}),
) {
  const statements: { ids: number[]; answer: () => void; fail: (error: Error) => void }[] = [];
  const locked = new Set<number>();
  const cancelled: PoolClient[] = [];
  const failures = new Map<PoolClient, (error: Error) => void>();
  const runBatch = (client: PoolClient, _: unknown, requests: readonly (readonly unknown[])[]) =>
    new Promise<unknown[]>((resolve, reject) => {
      const ids = requests.map(([id]) => Number(id));
      const rows = ids.map((id) => (id === 0 || locked.has(id) ? undefined : { id, name: `name ${id}` }));
      statements.push({ ids, answer: () => resolve(rows), fail: reject });
      failures.set(client, reject);
    });
  const runner: BatchRunner = {
    maxBatches: 100,
    distribution: ONE_SERVER,
    use: (_until, work) => work({} as PoolClient),
    cancel: (client) => {
      cancelled.push(client);
      failures.get(client)?.(failure('57014'));
    },
    runBatch: runBatch as BatchRunner['runBatch'],
  };
  const batches = new StatementBatcher<Name>(statement, { ...runner, ...changed(runner) });
  const add = (id: number, kind = 'a', within = 10_000) =>
    batches.add(statement === BY_UUID ? [String(id), kind] : [id, kind], performance.now() + within);
  const addAll = (ids: readonly number[], kind?: string) => ids.map((id) => add(id, kind));
  return {
    statements,
    locked,
    cancelled,
    add,
    addAll,
    /** Adds the requests 0 to `count`, and returns whether each of them was answered. */
    addMany: (count: number) => Promise.allSettled(addAll(Array.from({ length: count }, (_, at) => at))),
    /** Returns the ids of each statement, from this statement on. */
    idsFrom: (first: number) => statements.slice(first).map(({ ids }) => ids),
    /** Answers all statements, including new ones, until there are no more. */
    answerAll: async () => {
      for (let at = 0; at < statements.length; at += 1) {
        statements[at]?.answer();
        await settled();
      }
    },
  };
}

const later = (milliseconds: number) => jest.advanceTimersByTimeAsync(milliseconds);
const rejected = (request: Promise<unknown>, error: typeof OverloadedError | string = OverloadedError) =>
  expect(request).rejects.toThrow(error);

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

describe('requests for a statement', () => {
  it('are executed alone while few are in flight, and otherwise in a batch when a request in flight ends', async () => {
    const { statements, addAll, idsFrom, answerAll } = batcher();
    const answers = Promise.all(addAll([...FEW, 9, 0, 11]));
    expect(idsFrom(0)).toEqual([[1], [2]]);
    await later(4);
    statements[0]?.answer();
    await settled();
    expect(idsFrom(2)).toEqual([[9, 0, 11]]);
    await answerAll();
    const names = (await answers).map((row) => row?.name);
    expect(names).toEqual(['name 1', 'name 2', 'name 9', undefined, 'name 11']);
  });

  it('wait 5 milliseconds at most for requests in flight', async () => {
    const { addAll, idsFrom, answerAll } = batcher();
    const answers = Promise.all(addAll([...FEW, 9, 10]));
    await later(5);
    expect(idsFrom(2)).toEqual([[9, 10]]);
    await answerAll();
    expect(await answers).toHaveLength(4);
  });

  it('are executed in several batches if they are many, long, or of different groups', async () => {
    const { addAll, addMany, idsFrom, answerAll } = batcher(FIND_OF_A_KIND);
    const all = [...addAll(FEW), addMany(40), ...addAll([1, 2], 'b'), ...addAll([1, 2], 'c'.repeat(20_000))];
    // These four requests are executed at once, because few requests of their groups are in flight.
    expect(idsFrom(2)).toEqual([[1], [2], [1], [2]]);
    await later(5);
    expect(idsFrom(6).map((ids) => ids.length)).toEqual([32, 8]);
    await answerAll();
    expect(await Promise.all(all)).toHaveLength(7);
  });

  it.each(['23503', '22003', '0A000', '57014', '54000', '53200'])(
    'are executed alone if one of them made the batch fail: %s',
    async (code) => {
      const { statements, add, addAll, idsFrom, answerAll } = batcher();
      const busy = addAll(FEW);
      const good = add(5);
      const bad = rejected(add(6), code);
      await later(5);
      statements[2]?.fail(failure(code));
      await settled();
      expect(idsFrom(3)).toEqual([[5], [6]]);
      statements[4]?.fail(failure(code));
      await bad;
      await answerAll();
      expect(await good).toEqual({ id: 5, name: 'name 5' });
      await Promise.all(busy);
    },
  );

  it('share a batch in distributed tables only if their rows are on one server', async () => {
    // Even ids are on one server, odd ids on another.
    const serverOf: BatchRunner['distribution']['serverOf'] = (_, [id]) => Number(String(id).slice(-1)) % 2;
    const distribution = { fewInFlight: 1, serverOf };
    const { add, addAll, idsFrom, answerAll } = batcher(BY_UUID, () => ({ distribution }));
    const answers = addAll([12, 11, 22, 21, 24, 23, 26]);
    const ofAnotherKind = add(28, 'b');
    await later(5);
    expect(idsFrom(2)).toEqual([[28], [22, 24, 26], [21, 23]]);
    await answerAll();
    expect(await Promise.all([...answers, ofAnotherKind])).toHaveLength(8);
  });

  it.each(['57P01', '40P01', '53100', '40003'])('all fail if the database fails: %s', async (code) => {
    const { statements, addAll, idsFrom, answerAll } = batcher(BY_UUID);
    const busy = addAll(FEW);
    const lost = Promise.allSettled(addAll([5, 6]));
    await later(5);
    expect(idsFrom(2)).toEqual([[5, 6]]);
    statements[2]?.fail(failure(code));
    expect(await lost).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
    expect(statements).toHaveLength(3);
    await answerAll();
    await Promise.all(busy);
  });

  it('get no row if their row is locked, and do not delay the rest of their batch', async () => {
    const { locked, addAll, idsFrom, answerAll } = batcher(LOCK);
    locked.add(10);
    const answers = Promise.all(addAll([1, 2, 9, 10, 0]));
    await later(5);
    await answerAll();
    expect(idsFrom(2)).toEqual([[9, 10, 0]]);
    expect((await answers).map((row) => row?.id)).toEqual([1, 2, 9, undefined, undefined]);
    expect(LOCK.text).toContain('skip locked');
  });

  it('leave connections to other groups if the database does not respond', async () => {
    const { add, idsFrom, answerAll } = batcher(FIND_OF_A_KIND, () => ({ maxBatches: 4 }));
    const all: Promise<unknown>[] = [];
    for (let id = 1; id <= 10; id += 1) {
      all.push(add(id));
      await later(6);
    }
    expect(idsFrom(0)).toEqual([[1], [2], [3], [4]]);
    const late = rejected(add(11, 'a', 100));
    all.push(add(1, 'b'));
    expect(idsFrom(4)).toEqual([[1]]);
    const answers = Promise.allSettled(all);
    await later(10_000);
    await late;
    await answerAll();
    expect((await answers).filter(({ status }) => status === 'rejected')).toHaveLength(6);
  });

  it('are executed in smaller batches while batches are slow', async () => {
    const { statements, addAll, addMany, idsFrom, answerAll } = batcher();
    const all: Promise<unknown>[] = [];
    const sizes = async (count: number) => {
      // Keep new requests in flight, so that the requests below wait for them. No request waits for requests that are
      // older than 5 milliseconds.
      all.push(...addAll(FEW));
      const before = statements.length;
      all.push(addMany(count));
      await later(5);
      return idsFrom(before).map((ids) => ids.length);
    };
    const answer = async (milliseconds: number) => {
      await later(milliseconds);
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

  it.each([
    ['got no connection', false],
    ['failed quickly', true],
  ])('are not executed in larger batches after batches that %s', async (_, getsConnection) => {
    let isReachable = true;
    const { addMany, statements, idsFrom, answerAll } = batcher(FIND, (runner) => ({
      use: (until, work) => (isReachable ? runner.use(until, work) : Promise.reject(failure('ECONNREFUSED'))),
    }));
    const slow = addMany(32);
    await later(805);
    await answerAll();
    await slow;
    isReachable = getsConnection;
    for (let round = 0; round < 5; round += 1) {
      const before = statements.length;
      const lost = addMany(32);
      await later(5);
      for (let at = before; at < statements.length; at += 1) {
        statements[at]?.fail(failure('57P01'));
        await settled();
      }
      expect((await lost).every(({ status }) => status === 'rejected')).toBe(true);
    }
    isReachable = true;
    const before = statements.length;
    const all = addMany(32);
    await later(5);
    await answerAll();
    await all;
    // 30 requests took 800 milliseconds, so 7 should take less than 200.
    expect(
      Math.max(
        ...idsFrom(before)
          .slice(0, 4)
          .map((ids) => ids.length),
      ),
    ).toBe(7);
  });

  it('are cancelled if their batch takes a second, then executed alone within their own deadlines', async () => {
    const { statements, cancelled, add, addAll, idsFrom, answerAll } = batcher();
    const busy = addAll(FEW);
    const good = add(5);
    const slow = rejected(add(6), 'Query read timeout');
    const late = rejected(add(7, 'a', 900));
    await later(1_004);
    expect(cancelled).toEqual([]);
    await later(1);
    await late;
    expect(cancelled).toHaveLength(1);
    expect(idsFrom(2)).toEqual([[5, 6, 7], [5], [6]]);
    // A request that is executed alone is not cancelled after a second.
    await later(1_500);
    expect(cancelled).toHaveLength(1);
    statements[4]?.fail(new Error('Query read timeout'));
    await slow;
    await answerAll();
    expect(await good).toEqual({ id: 5, name: 'name 5' });
    await Promise.all(busy);
  });

  it('that are executed alone after a failure wait for permits like others', async () => {
    const { statements, addAll, idsFrom, answerAll } = batcher(FIND, () => ({ maxBatches: 3 }));
    const all = addAll([...FEW, 5, 6, 7, 8]);
    await later(5);
    statements[2]?.fail(failure('22003'));
    await settled();
    expect(idsFrom(3)).toEqual([[5]]);
    await answerAll();
    expect(await Promise.all(all)).toHaveLength(6);
  });

  it.each([
    ['for a permit', 1],
    ['for a connection', 100],
  ])('that share a batch keep their own deadlines while it waits %s', async (_, maxBatches) => {
    const connections = new Semaphore(1);
    const { add, idsFrom, answerAll } = batcher(FIND, (runner) => ({
      maxBatches,
      use: async <T>(until: Deadline, work: (client: PoolClient) => Promise<T>) => {
        const acquired = connections.acquire(until);
        if (acquired !== undefined) await acquired;
        return runner.use(until, work).finally(() => connections.release());
      },
    }));
    const startedAt = performance.now();
    const times: number[] = [];
    const outcomeOf = (id: number) =>
      add(id, 'a', 500).then(
        () => 'answered',
        (error: unknown) => {
          times.push(performance.now() - startedAt);
          return (error as Error).constructor.name;
        },
      );
    const all = [outcomeOf(1), outcomeOf(5)];
    await later(300);
    all.push(outcomeOf(6));
    await later(300);
    expect(times).toEqual([500]);
    all.push(outcomeOf(7));
    await later(150);
    // The first statement ends before the deadlines of the later requests.
    await answerAll();
    expect(idsFrom(0)).toEqual([[1], [6, 7]]);
    expect(await Promise.all(all)).toEqual(['answered', 'OverloadedError', 'answered', 'answered']);
  });

  it('are rejected after their deadline, and not executed later, even if the others are executed again', async () => {
    const { statements, add, addAll, idsFrom, answerAll } = batcher();
    const busy = addAll(FEW);
    const late = rejected(add(9, 'a', 2));
    const good = add(5);
    const bad = rejected(add(10), '23503');
    await later(5);
    await late;
    expect(idsFrom(2)).toEqual([[5, 10]]);
    statements[2]?.fail(failure('23503'));
    await settled();
    expect(idsFrom(3)).toEqual([[5], [10]]);
    statements[4]?.fail(failure('23503'));
    await bad;
    await answerAll();
    expect(await Promise.all([...busy, good])).toHaveLength(3);
  });
});
