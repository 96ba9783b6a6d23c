import { eventually } from '../support/eventually.js';
import { startDatabaseProxy } from '../support/database-proxy.js';
import { expectAnswered } from './support/answered.js';
import { startOn, useFaults } from './support/use-service.js';
import { Writers } from './support/writers.js';

const use = useFaults();
const POOL_SIZE = 4;

/** Counts the service's connections. The service's database URL sets their `application_name` to `faults`. */
async function connections(condition: string): Promise<number> {
  const [row] = await use.database.dataSource.query<{ count: number }[]>(
    `select count(*)::int from pg_stat_activity where datname = current_database()
       and application_name = 'faults' and ${condition}`,
  );
  return row?.count ?? 0;
}

it('if the link to the database swallows all packets, responds within 5 seconds, and recovers when the link does', async () => {
  const proxy = await startDatabaseProxy(use.database.connection);
  try {
    const service = await startOn(use, {
      DATABASE_URL: `${proxy.url}?application_name=faults`,
      DATABASE_POOL_SIZE: `${POOL_SIZE}`,
    });
    const writers = new Writers(use, 20);
    const load = writers.start(service.url);
    await eventually('writes', () => writers.acknowledged >= 200, 20_000);
    proxy.swallow();
    await eventually('refusals', () => (load.summary['503'] ?? 0) >= 60, 30_000);

    const [{ now: healedAt }] = await use.database.dataSource.query<[{ now: string }]>('select now()::text');
    await proxy.heal();
    const before = writers.acknowledged;
    await eventually('writes again', () => writers.acknowledged >= before + 500, 20_000);
    writers.finish();
    await load.done();
    expectAnswered(load);
    await writers.expectAllStoredOnce();

    // The additional connection listens for changes.
    const isWhole = async () => (await connections(`backend_start > '${healedAt}'`)) === POOL_SIZE + 1;
    await eventually('the pool is whole and no larger', isWhole);
    // PostgreSQL does not notice that the old connections are lost, so they must hold no transaction.
    const isFree = async () => (await connections(`state like 'idle in transaction%'`)) === 0;
    await eventually('no transaction is left behind', isFree, 10_000);
  } finally {
    await proxy.close();
  }
});
