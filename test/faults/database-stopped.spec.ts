import { eventually } from '../support/eventually.js';
import { expectAnswered } from './support/answered.js';
import { isAcknowledged } from './support/load.js';
import { PostgresServer } from './support/postgres-server.js';
import { startOn, useFaults } from './support/use-service.js';
import { Writers } from './support/writers.js';

let server: PostgresServer;
const use = useFaults(async () => {
  server = await PostgresServer.create();
  return server.database();
});
const writers = new Writers(use, 20);
/** Maximum milliseconds between the return of the database and the first successful request. */
const RECOVERY = 2_000;

it.each<[string, NodeJS.Signals]>([
  ['stopped at once (pg_ctl stop -m immediate)', 'SIGQUIT'],
  ['killed', 'SIGKILL'],
])(
  'if the database is %s under load, no acknowledged write is lost, and the service works again when it is back',
  async (_, signal) => {
    const service = await startOn(use);
    const load = writers.start(service.url);
    const before = writers.acknowledged;
    await eventually('writes', () => writers.acknowledged >= before + 500, 20_000);

    const stoppedAt = performance.now();
    await server.stop(signal);
    await eventually('refusals', () => (load.summary['503'] ?? 0) >= 100, 20_000);
    await server.start();
    const backAt = performance.now();
    const between = writers.acknowledged;
    await eventually('writes again', () => writers.acknowledged >= between + 500, 20_000);
    writers.finish();
    await load.done();

    expectAnswered(load);
    const firstSuccess = load.outcomes
      .filter((outcome) => isAcknowledged(outcome) && outcome.sentAt > stoppedAt)
      .map(({ sentAt, took }) => sentAt + took)
      .at(0);
    expect(firstSuccess).toBeLessThan(backAt + RECOVERY);
    await writers.expectAllStoredOnce();
  },
);
