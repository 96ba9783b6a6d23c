import { eventually } from '../support/eventually.js';
import { expectAnswered } from './support/answered.js';
import type { Load } from './support/load.js';
import { PostgresServer } from './support/postgres-server.js';
import { SmallDisk } from './support/small-disk.js';
import { startOn, useFaults } from './support/use-service.js';
import { Writers } from './support/writers.js';

(SmallDisk.isPossible ? describe : describe.skip)('with its disk full (needs the right to mount one)', () => {
  let disk: SmallDisk;
  let server: PostgresServer;
  const use = useFaults(async () => {
    disk = new SmallDisk(160);
    server = await PostgresServer.create(['max_wal_size=32MB', 'min_wal_size=32MB'], disk.directory);
    return server.database();
  });
  const writers = new Writers(use, 10, 6_000);
  afterAll(() => {
    disk.remove();
  });

  async function startWriting() {
    const service = await startOn(use);
    const load = writers.start(service.url);
    const before = writers.acknowledged;
    await eventually('writes', () => writers.acknowledged >= before + 100, 20_000);
    return { service, load };
  }

  async function expectToGoOn(load: Load) {
    const before = writers.acknowledged;
    await eventually('writes again', () => writers.acknowledged >= before + 100, 20_000);
    writers.finish();
    await load.done();
    expectAnswered(load);
    await writers.expectAllStoredOnce();
  }

  it('the database rejects writes, which are 503, and works again without a restart when there is space', async () => {
    const pid = await server.pid();
    const { service, load } = await startWriting();
    // Start a new WAL segment, so that the WAL has space for the rejected writes.
    await use.database.dataSource.query('select pg_switch_wal()');
    disk.fill();
    await eventually('refusals', () => (load.summary['503'] ?? 0) >= 50, 20_000);
    expect(service.stdout).toContain('No space left on device');
    disk.free();
    await expectToGoOn(load);
    expect(await server.pid()).toBe(pid);
  });

  it('the database crashes without space for its log, and requests are 503 until it is restarted', async () => {
    const { load } = await startWriting();
    disk.fill();
    await eventually('the database crashes', async () => {
      try {
        await use.database.dataSource.query('select pg_switch_wal()');
        return false;
      } catch {
        return true;
      }
    });
    const refusals = load.summary['503'] ?? 0;
    await eventually('refusals', () => (load.summary['503'] ?? 0) >= refusals + 50, 20_000);
    disk.free();
    await server.start();
    await expectToGoOn(load);
  });
});
