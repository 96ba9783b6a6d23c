import { PassThrough, Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { IncomingMessage } from 'node:http';
import fc from 'fast-check';
import { OverloadedError } from '../../database/database-errors.js';
import { BodyLease, ByteBudget } from './body-budget.js';
import { readJson } from './json-body.js';
import { Problem } from '../errors/problems.js';

const MAX_VALUES = 20_000;

function read(text: string): Promise<unknown> {
  const payload = Object.assign(Readable.from([Buffer.from(text)]), {
    headers: { 'content-type': 'application/json' },
  });
  const lease = new BodyLease();
  return readJson(payload as unknown as IncomingMessage, () => lease).finally(() => {
    lease.end();
  });
}

const rejectionOf = (text: string) =>
  read(text).then(
    () => undefined,
    (error: unknown) => (error as Problem).code,
  );

/** Returns the JSON of an array that has this number of values, including the array itself. */
const arrayOf = (values: number, first = '0') => `[${first}${',0'.repeat(values - 2)}]`;

describe('the limits of a body, before it is parsed', () => {
  it.each<[string, (values: number) => string]>([
    ['elements', arrayOf],
    ['elements with white space between them', (values) => `[ 0${' ,\n0'.repeat(values - 2)} ]`],
    ['properties', (values) => `{"a":0${',"a":0'.repeat(values - 2)}}`],
    ['arrays of one element', (values) => `[[0]${',[0]'.repeat(values / 2 - 2)},0]`],
    ['nested objects', (values) => `[${'{"a":'.repeat(60)}0${'}'.repeat(60)}${',0'.repeat(values - 62)}]`],
    ['strings', (values) => arrayOf(values).replaceAll('0', '""')],
  ])('allow 20,000 values, counting %s', async (_, bodyOf) => {
    expect(await rejectionOf(bodyOf(MAX_VALUES))).toBeUndefined();
    expect(await rejectionOf(bodyOf(MAX_VALUES + 2))).toBe('body_too_many_values');
  });

  it('allow 64 levels of nesting', async () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect(await rejectionOf(nested(64))).toBeUndefined();
    expect(await rejectionOf(nested(65))).toBe('body_too_deep');
    expect(await rejectionOf(`[${`${nested(63)},`.repeat(100)}0]`)).toBeUndefined();
  });

  it('do not mistake text for structure, wherever its quotes and backslashes are', () =>
    fc.assert(
      fc.asyncProperty(
        fc.string({ unit: fc.constantFrom('"', '\\', ',', '[', '{', ']', '}', 'a', 'é'), maxLength: 300 }),
        async (text) => {
          const first = JSON.stringify(text);
          expect(await rejectionOf(arrayOf(MAX_VALUES, first))).toBeUndefined();
          expect(await rejectionOf(arrayOf(MAX_VALUES + 1, first))).toBe('body_too_many_values');
        },
      ),
    ));

  it('leave invalid JSON to the parser', async () => {
    for (const text of ['"', '"\\', `"${'a'.repeat(200)}`, `"${'\\"'.repeat(100)}`, ']]]', '{"a"'])
      expect(await rejectionOf(text)).toBe('malformed_json');
  });
});

describe('large bodies', () => {
  const LARGE = 400_000;
  const budgetOf = (bytes: number) => new ByteBudget(bytes);

  /** Begins to read a body that the test sends later. */
  function begin(budget: ByteBudget, length?: number) {
    const payload = Object.assign(new PassThrough(), {
      headers: {
        'content-type': 'application/json',
        ...(length !== undefined && { 'content-length': String(length) }),
      },
    });
    const lease = new BodyLease(budget);
    const body = readJson(payload as unknown as IncomingMessage, () => lease);
    const outcome = { value: undefined as unknown, error: undefined as unknown };
    const settled = body.then(
      (value) => (outcome.value = value),
      (error: unknown) => (outcome.error = error),
    );
    return { payload, lease, outcome, settled };
  }
  const textOf = (length: number) => `"${'x'.repeat(length - 2)}"`;
  /** Sends a body as fast as the connection accepts it. */
  function sendAll({ payload }: ReturnType<typeof begin>, length = LARGE) {
    Readable.from(
      Buffer.from(textOf(length))
        .toString()
        .match(/.{1,16384}/g)!
        .map((text) => Buffer.from(text)),
    ).pipe(payload);
  }
  const turns = async () => {
    for (let turn = 0; turn < 50; turn += 1) await nextTurn();
  };

  it('are read one after the other if the budget has room for one, while small bodies do not wait', async () => {
    const budget = budgetOf(LARGE);
    const all = [1, 2, 3].map(() => begin(budget, LARGE));
    for (const one of all) sendAll(one);
    await all[0]!.settled;
    const small = begin(budget, 30_000);
    sendAll(small, 30_000);
    await small.settled;
    await turns();
    // The rest of a waiting body stays in the connection.
    expect(all.map(({ outcome }) => outcome.value !== undefined)).toEqual([true, false, false]);
    expect(all[1]!.payload.readableFlowing).toBe(false);
    all[0]!.lease.end();
    await all[1]!.settled;
    await turns();
    expect(all[2]!.outcome.value).toBeUndefined();
    all[1]!.lease.end();
    await all[2]!.settled;
    expect(String(all[2]!.outcome.value)).toHaveLength(LARGE - 2);
  });

  it('without a Content-Length release the part of the budget that they do not need', async () => {
    const budget = budgetOf(1_048_576 + LARGE);
    const [first, second] = [begin(budget), begin(budget)];
    sendAll(first);
    await first.settled;
    sendAll(second);
    await second.settled;
    expect(String(second.outcome.value)).toHaveLength(LARGE - 2);
  });

  it('that arrive in one piece are counted once', async () => {
    const budget = budgetOf(150_000);
    const leases = [1, 2, 3].map(() => new BodyLease(budget));
    const outcomes = leases.map((lease) => {
      const payload = Readable.from([Buffer.from(textOf(50_000))]);
      const headers = { 'content-type': 'application/json', 'content-length': '50000' };
      return readJson(Object.assign(payload, { headers }) as unknown as IncomingMessage, () => lease);
    });
    expect((await Promise.all(outcomes)).map((body) => String(body).length)).toEqual([
      49_998, 49_998, 49_998,
    ]);
    const next = begin(budget, LARGE);
    sendAll(next);
    await turns();
    // The budget has no room left.
    expect(next.outcome.value).toBeUndefined();
    for (const lease of leases) lease.end();
    await turns();
    expect(next.payload.readableFlowing).toBe(false);
    budget.release(LARGE - 150_000);
    await next.settled;
    expect(next.outcome.value).toBeDefined();
  });

  it('that arrive slowly do not delay others, and wait for the budget once they are complete', async () => {
    const budget = budgetOf(LARGE);
    const slow = begin(budget, LARGE);
    const prompt = begin(budget, LARGE);
    slow.payload.write(`"${'x'.repeat(40_000)}`);
    await turns();
    sendAll(prompt);
    await prompt.settled;
    expect(prompt.outcome.value).toBeDefined();
    slow.payload.end(`${'x'.repeat(LARGE - 40_002)}"`);
    await turns();
    expect(slow.outcome.value).toBeUndefined();
    prompt.lease.end();
    await slow.settled;
    expect(String(slow.outcome.value)).toHaveLength(LARGE - 2);
  });

  it('of clients that have disconnected do not block others', async () => {
    const budget = budgetOf(LARGE);
    const [first, disconnected, next] = [begin(budget, LARGE), begin(budget, LARGE), begin(budget, LARGE)];
    sendAll(first);
    await first.settled;
    disconnected.payload.write(`"${'x'.repeat(40_000)}`);
    await turns();
    disconnected.payload.destroy(new Error('aborted'));
    await disconnected.settled;
    disconnected.lease.end();
    sendAll(next);
    await turns();
    first.lease.end();
    await next.settled;
    expect(disconnected.outcome.error).toMatchObject({ code: 'malformed_request' });
    expect(next.outcome.value).toBeDefined();
  });

  it('are rejected with 503 if the budget has no room for too long, and the rest is discarded', async () => {
    const budget = budgetOf(LARGE);
    const [first, second] = [begin(budget, LARGE), begin(budget, LARGE)];
    sendAll(first);
    await first.settled;
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    try {
      sendAll(second);
      await turns();
      jest.advanceTimersByTime(10_000);
      await second.settled;
    } finally {
      jest.useRealTimers();
    }
    expect(second.outcome.error).toBeInstanceOf(OverloadedError);
    expect(second.outcome.error).toMatchObject({ bottleneck: 'body' });
    await turns();
    expect(second.payload.readableEnded).toBe(true);
  });
});
