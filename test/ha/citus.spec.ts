import { expectAnswered } from '../faults/support/answered.js';
import { isAcknowledged, type Load } from '../faults/support/load.js';
import { newDrafts, startOn, useFaults } from '../faults/support/use-service.js';
import { Writers } from '../faults/support/writers.js';
import { eventually } from '../support/eventually.js';
import { CitusCluster, describeOnCitus } from './support/citus-cluster.js';

/** Milliseconds to wait for the cluster's recovery, enough for a busy machine. */
const PATIENCE = 60_000;
const KILLS = Number(process.env['CITUS_KILLS'] ?? '3');
const times = Array.from({ length: KILLS }, (_, time) => time + 1);

describeOnCitus('an instance on a Citus coordinator and two workers', () => {
  let cluster: CitusCluster;
  let writers: Writers;
  const use = useFaults(async () => {
    cluster = await CitusCluster.start();
    return cluster.database();
  });
  beforeAll(() => {
    writers = new Writers(use, 8);
  });

  it.each(times)('loses and repeats no write if the coordinator is killed at a random moment (%i)', () =>
    expectToGetOver(async (load) => {
      const writes = load.acknowledged.length + Math.floor(Math.random() * 200);
      await eventually('a moment', () => load.acknowledged.length >= writes, PATIENCE);
      await killCoordinator();
    }),
  );

  it.each(times)(
    'loses and repeats no write if the coordinator is killed between PREPARE and COMMIT PREPARED (%i)',
    () =>
      expectToGetOver(async () => {
        const { coordinator } = cluster;
        await eventually('a transaction is prepared', async () => {
          coordinator.freeze();
          if ((await cluster.prepared()) > 0) return true;
          coordinator.thaw();
          return false;
        });
        expect(await killCoordinator()).toBeGreaterThan(0);
      }),
  );

  it('loses and repeats no write if a worker is killed, and uses the other worker meanwhile', () =>
    expectToGetOver(async (load, read) => {
      const [worker] = cluster.workers;
      await worker!.kill();
      const refused = load.outcomes.length;
      await eventually('writes are refused', () => load.outcomes.length > refused + 8, PATIENCE);
      const statuses = await read();
      expect(new Set(statuses)).toEqual(new Set([200, 503]));
      await cluster.start(worker!);
    }));

  /** Kills and restarts the coordinator. Returns the number of prepared transactions that it left behind. */
  async function killCoordinator(): Promise<number> {
    await cluster.coordinator.kill();
    const left = await cluster.prepared();
    process.stderr.write(`The coordinator was killed and left ${left} prepared transactions\n`);
    await cluster.start(cluster.coordinator);
    return left;
  }

  /** Runs `happens` while clients write. Expects a recovery. `read` returns the statuses of drafts in many shards. */
  async function expectToGetOver(
    happens: (load: Load, read: () => Promise<number[]>) => Promise<void>,
  ): Promise<void> {
    const service = await startOn(use);
    const drafts = await newDrafts(use, service, 20);
    const read = async () => {
      const answers = await Promise.all(drafts.map((path) => service.own.get(path)));
      return answers.map(({ status }) => status);
    };
    const load = writers.start(service.url);
    await eventually('writes', () => load.acknowledged.length >= 100, PATIENCE);
    await happens(load, read);
    const overAt = performance.now();
    const writes = () => load.outcomes.some((one) => isAcknowledged(one) && one.sentAt > overAt);
    await eventually('writes again', writes, PATIENCE);
    writers.finish();
    await load.done();
    process.stderr.write(`${JSON.stringify(load.summary)}\n`);

    expectAnswered(load);
    await eventually('nothing is left prepared', async () => (await cluster.prepared()) === 0, PATIENCE);
    expect(await read()).toEqual(drafts.map(() => 200));
    for (const path of drafts) expect((await service.own.delete(path)).status).toBe(204);
    await writers.expectAllStoredOnce();
  }
});
