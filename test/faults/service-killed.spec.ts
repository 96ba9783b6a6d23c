import { eventually } from '../support/eventually.js';
import { startOn, useFaults } from './support/use-service.js';
import { Writers } from './support/writers.js';

const use = useFaults();
const WRITES = 10_000;
const KILLED_AFTER = [1_000, 4_000, 7_000];
/** Expected outcomes. 409 is possible while a transaction that the database has not aborted yet holds the key. */
const EXPECTED = ['200', '201', '409', 'ECONNRESET', 'ECONNREFUSED'];

it('killed during 10,000 writes, loses no acknowledged write and executes no retried write twice', async () => {
  const writers = new Writers(use, 20);
  let unanswered = 0;
  for (const writes of [...KILLED_AFTER, WRITES]) {
    const service = await startOn(use);
    expect((await service.own.get('/health/ready')).status).toBe(200);
    const load = writers.start(service.url);
    await eventually(`${writes} writes`, () => writers.acknowledged >= writes, 60_000);
    if (writes === WRITES) writers.finish();
    else {
      service.child.kill('SIGKILL');
      writers.halt();
    }
    await load.done();
    expect(EXPECTED).toEqual(expect.arrayContaining(Object.keys(load.summary)));
    expect(service.stderr).toBe('');
    unanswered += load.outcomes.filter(({ error }) => error !== undefined).length;
  }
  expect(unanswered).toBeGreaterThan(0);
  await writers.expectAllStoredOnce();
}, 300_000);
