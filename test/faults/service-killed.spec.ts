import { eventually } from '../support/eventually.js';
import { startOn, useFaults } from './support/use-service.js';
import { Writers } from './support/writers.js';

const use = useFaults();
const WRITES = 10_000;
const KILLED_AFTER = [1_000, 4_000, 7_000];
/** A key may still be taken by a transaction that the database has not given up yet: 409. */
const EXPECTED = ['200', '201', '409', 'ECONNRESET', 'ECONNREFUSED'];

it('killed in the middle of 10,000 writes, loses none that it acknowledged and repeats none that is sent again', async () => {
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
