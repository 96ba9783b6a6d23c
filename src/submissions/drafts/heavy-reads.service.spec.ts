import { Logger } from '@nestjs/common';
import { Problem } from '../../http/errors/problems.js';
import { HeavyReadsService } from './heavy-reads.service.js';

const request = (userId: number) => ({ userId, arrivedAt: performance.now() });
const ADA = 1;
const BEN = 2;

/** Work that ends when the test says so. */
function work() {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const state = { isRunning: false, end };
  const run = async () => {
    state.isRunning = true;
    await ended;
  };
  return Object.assign(state, { run });
}

const turn = () => new Promise(setImmediate);

it('the service runs two heavy reads of a user at a time, and does not delay another user', async () => {
  const reads = new HeavyReadsService();
  const ofAda = [work(), work(), work()];
  const ofBen = work();
  const all = [...ofAda.map(({ run }) => reads.run(request(ADA), run)), reads.run(request(BEN), ofBen.run)];
  await turn();
  expect([...ofAda, ofBen].map(({ isRunning }) => isRunning)).toEqual([true, true, false, true]);
  ofAda[0]?.end();
  await turn();
  expect(ofAda[2]?.isRunning).toBe(true);
  for (const { end } of [...ofAda, ofBen]) end();
  await Promise.all(all);
});

it('rejects with 503 and Retry-After if the others take too long, and logs it once', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'queueMicrotask', 'nextTick'] });
  const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
  try {
    const reads = new HeavyReadsService();
    const slow = [work(), work()];
    const running = slow.map(({ run }) => reads.run(request(ADA), run));
    const refused = [1, 2, 3].map(() =>
      reads.run(request(ADA), () => 'done').catch((error: unknown) => error),
    );
    await jest.advanceTimersByTimeAsync(3_000);
    for (const error of await Promise.all(refused)) {
      expect(error).toBeInstanceOf(Problem);
      expect(error).toMatchObject({ status: 503, headers: { 'Retry-After': '2' } });
    }
    expect(warn).toHaveBeenCalledTimes(1);
    for (const { end } of slow) end();
    await Promise.all(running);
    expect(await reads.run(request(ADA), () => 'done')).toBe('done');
  } finally {
    warn.mockRestore();
    jest.useRealTimers();
  }
});
