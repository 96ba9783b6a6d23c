import { expectAnswered } from '../faults/support/answered.js';
import { isAcknowledged, type Load } from '../faults/support/load.js';
import { metric, type RunningService, startOn, useFaults } from '../faults/support/use-service.js';
import { Writers } from '../faults/support/writers.js';
import { eventually } from '../support/eventually.js';
import type { ClusterNode } from './support/cluster-node.js';
import { Cluster } from './support/cluster.js';
import { IndependentClient } from './support/independent-client.js';
import { type Attempt, backAt } from './support/outage.js';
import { describeOnCluster } from './support/programs.js';

/** Milliseconds to wait for the cluster's recovery, enough for a busy machine. */
const PATIENCE = 60_000;
/**
 * Maximum milliseconds between the recovery of the independent client and the recovery of the service. The aim is
 * one second (deploy/patroni/README.md has the measurements). The other second is for other work on the machine.
 */
const BEHIND = 2_000;

describeOnCluster('two instances, one of them behind PgBouncer, on a cluster of three nodes', () => {
  let cluster: Cluster;
  let writers: Writers;
  const use = useFaults(async () => {
    cluster = await Cluster.start();
    const database = await cluster.database();
    await database.dataSource.query('create table probes (at timestamptz default clock_timestamp())');
    return database;
  });
  beforeAll(() => {
    writers = new Writers(use, 6);
  });

  it.each(['once', 'twice', 'a third time'])('recover when the primary is killed %s', () =>
    expectToGetOver(async (primary) => {
      await primary.kill();
      return () => {
        primary.start();
      };
    }),
  );

  it('recover when the primary freezes, and continues after its replacement', () =>
    expectToGetOver((primary) => {
      primary.freeze();
      return Promise.resolve(() => {
        primary.thaw();
      });
    }));

  it.each(['once', 'twice'])('recover from a switchover %s', () =>
    expectToGetOver(async (primary) => {
      await cluster.switchOver(primary);
      return () => undefined;
    }),
  );

  /** Runs `happens` while clients write, and expects a recovery. `happens` returns a function that repairs the node. */
  async function expectToGetOver(happens: (primary: ClusterNode) => Promise<() => void>): Promise<void> {
    const primary = await cluster.settled();
    const measured = { METRICS_PORT: '0', LOG_LEVEL: 'info' };
    const pooled = { DATABASE_URL: cluster.pooledUrl, DATABASE_DIRECT_URL: use.database.url };
    const services = await Promise.all([startOn(use, measured), startOn(use, { ...measured, ...pooled })]);
    let requests = 0;
    const load = writers.start(() => services[requests++ % services.length]!.url);
    const independent = new IndependentClient(use.database.connection);
    const everybody = () => [independent.attempts, ...services.map(({ url }) => attemptsOf(load, url))];
    try {
      await eventually('writes', () => load.acknowledged.length >= 200, PATIENCE);
      const startedAt = performance.now();
      const repair = await happens(primary);
      const successor = await cluster.successorOf(primary);
      const succeededAt = performance.now();
      const writesAgain = (attempts: Attempt[]) =>
        attempts.some(({ isSuccess, sentAt }) => isSuccess && sentAt > succeededAt);
      await eventually('all write again', () => everybody().every(writesAgain), PATIENCE);
      repair();
      expect((await cluster.settled()).name).toBe(successor.name);
      writers.finish();
      await load.done();
      await independent.stop();

      const [reference, ...backs] = everybody().map(backAt);
      const seconds = [reference, ...backs].map((at) => ((at ?? startedAt) - startedAt) / 1_000);
      const [alone, direct, byPooler] = seconds.map((number) => `${number.toFixed(1)} s`);
      process.stderr.write(
        `Back after ${alone}; the service after ${direct}, behind PgBouncer ${byPooler}\n`,
      );
      expect(reference).toBeLessThan(Infinity);
      for (const back of backs) expect((back ?? startedAt) - reference!).toBeLessThan(BEHIND);
      expectAnswered(load);
      expect(Object.keys(load.summary)).toEqual(['200', '201', '503']);
      await writers.expectAllStoredOnce();
      await expectAllConnectedTo(successor, primary);
      for (const service of services) await expectFresh(service);
    } finally {
      await independent.stop();
    }
  }

  async function expectAllConnectedTo(primary: ClusterNode, old: ClusterNode): Promise<void> {
    await eventually('both listen to the new primary', async () => {
      const names = await cluster.connectionsTo(primary);
      return names.filter((name) => name === 'formtrail-listener').length === 2;
    });
    expect(await cluster.connectionsTo(old)).toEqual([]);
  }

  /** Expects that the service receives notifications from the new primary, and serves a form that was changed on it. */
  async function expectFresh(service: RunningService): Promise<void> {
    const isConnected = async () => (await metric(service, 'formtrail_listener_connected')) === 1;
    await eventually('the service listens for changes', isConnected);
    const path = `/api/v1/forms/${use.built.form.uuid}/schema`;
    const nameNow = async () => (await service.own.get(path)).body.data.name as string;
    const name = `${await nameNow()}, once more`;
    await use.database.dataSource.query('update forms set name = $1', [name]);
    await eventually('what was committed is served', async () => (await nameNow()) === name, 3_000);
    expect(await isConnected()).toBe(true);
  }
});

function attemptsOf(load: Load, url: string): Attempt[] {
  return load.outcomes
    .filter((outcome) => outcome.url === url)
    .map((outcome) => ({ ...outcome, isSuccess: isAcknowledged(outcome) }));
}
