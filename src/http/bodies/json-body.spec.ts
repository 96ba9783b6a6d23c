import { PassThrough, Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { IncomingMessage } from 'node:http';
import fc from 'fast-check';
import { OverloadedError } from '../../database/database-errors.js';
import { ByteLease, ByteBudget } from './body-budget.js';
import { readJson } from './json-body.js';
import { Problem } from '../errors/problems.js';

const MAX_VALUES = 20_000;

/** Begins to read a body, which the test sends to `payload`. */
function begin(length?: number, lease = new ByteLease()) {
  const headers = { 'content-type': 'application/json', 'content-length': length && String(length) };
  const payload = Object.assign(new PassThrough(), { headers });
  const outcome = { value: undefined as unknown, error: undefined as unknown };
  const settled = readJson(payload as unknown as IncomingMessage, () => lease).then(
    (value) => (outcome.value = value),
    (error: unknown) => (outcome.error = error),
  );
  return { payload, lease, outcome, settled };
}

async function rejectionOf(text: string) {
  const { payload, lease, outcome, settled } = begin();
  payload.end(text);
  await settled;
  lease.end();
  return (outcome.error as Problem | undefined)?.code;
}

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
  const several = (count: number, budget: ByteBudget, length: number | undefined = LARGE) =>
    Array.from({ length: count }, () => begin(length, new ByteLease(budget)));
  const textOf = (length: number) => `"${'x'.repeat(length - 2)}"`;
  /** Sends a body as fast as the connection accepts it. */
  function send({ payload }: ReturnType<typeof begin>, length = LARGE) {
    Readable.from(textOf(length).match(/.{1,16384}/g)!, { objectMode: false }).pipe(payload);
  }
  const turns = async () => {
    for (let turn = 0; turn < 50; turn += 1) await nextTurn();
  };

  it('are read one after the other if the budget has room for one, while small bodies do not wait', async () => {
    const budget = new ByteBudget(LARGE);
    const [first, second, third] = several(3, budget);
    for (const one of [first!, second!, third!]) send(one);
    await first!.settled;
    const [small] = several(1, budget, 30_000);
    send(small!, 30_000);
    await small!.settled;
    await turns();
    expect([second!.outcome.value, third!.outcome.value]).toEqual([undefined, undefined]);
    // The rest of a waiting body stays in the connection.
    expect(second!.payload.readableFlowing).toBe(false);
    first!.lease.end();
    await second!.settled;
    await turns();
    expect(third!.outcome.value).toBeUndefined();
    second!.lease.end();
    await third!.settled;
    expect(String(third!.outcome.value)).toHaveLength(LARGE - 2);
  });

  it('without a Content-Length release the part of the budget that they do not need', async () => {
    const budget = new ByteBudget(1_048_576 + LARGE);
    for (let sent = 0; sent < 2; sent += 1) {
      const one = begin(undefined, new ByteLease(budget));
      send(one);
      await one.settled;
      expect(String(one.outcome.value)).toHaveLength(LARGE - 2);
    }
  });

  it('that arrive in one piece are counted once', async () => {
    const budget = new ByteBudget(150_000);
    const all = several(3, budget, 50_000);
    for (const { payload } of all) payload.end(textOf(50_000));
    await Promise.all(all.map(({ settled }) => settled));
    expect(all.map(({ outcome }) => String(outcome.value).length)).toEqual([49_998, 49_998, 49_998]);
    const [next] = several(1, budget);
    send(next!);
    await turns();
    // The budget has no room left.
    expect(next!.outcome.value).toBeUndefined();
    for (const { lease } of all) lease.end();
    await turns();
    expect(next!.payload.readableFlowing).toBe(false);
    budget.release(LARGE - 150_000);
    await next!.settled;
    expect(next!.outcome.value).toBeDefined();
  });

  it('that arrive slowly do not delay others, and wait for the budget once they are complete', async () => {
    const [slow, prompt] = several(2, new ByteBudget(LARGE));
    slow!.payload.write(`"${'x'.repeat(40_000)}`);
    await turns();
    send(prompt!);
    await prompt!.settled;
    expect(prompt!.outcome.value).toBeDefined();
    slow!.payload.end(`${'x'.repeat(LARGE - 40_002)}"`);
    await turns();
    expect(slow!.outcome.value).toBeUndefined();
    prompt!.lease.end();
    await slow!.settled;
    expect(String(slow!.outcome.value)).toHaveLength(LARGE - 2);
  });

  it('of clients that have disconnected do not block others', async () => {
    const [first, disconnected, next] = several(3, new ByteBudget(LARGE));
    send(first!);
    await first!.settled;
    disconnected!.payload.write(`"${'x'.repeat(40_000)}`);
    await turns();
    disconnected!.payload.destroy(new Error('aborted'));
    await disconnected!.settled;
    disconnected!.lease.end();
    send(next!);
    await turns();
    first!.lease.end();
    await next!.settled;
    expect(disconnected!.outcome.error).toMatchObject({ code: 'malformed_request' });
    expect(next!.outcome.value).toBeDefined();
  });

  it('are rejected with 503 if the budget has no room for too long, and the rest is discarded', async () => {
    const [first, second] = several(2, new ByteBudget(LARGE));
    send(first!);
    await first!.settled;
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    try {
      send(second!);
      await turns();
      jest.advanceTimersByTime(10_000);
      await second!.settled;
    } finally {
      jest.useRealTimers();
    }
    expect(second!.outcome.error).toEqual(new OverloadedError('body'));
    await turns();
    expect(second!.payload.readableEnded).toBe(true);
  });
});
