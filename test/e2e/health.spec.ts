import { startDatabaseProxy } from '../support/database-proxy.js';
import { eventually } from '../support/eventually.js';
import { sendHttp } from '../support/raw.js';
import { secretsIn } from '../support/refusal.js';
import { useOwnService, withServiceOn } from '../support/service.js';

const use = useOwnService();

it.each([
  ['live', {}],
  ['ready', { checks: { database: 'ok', migrations: 'ok' } }],
])('GET /health/%s returns 200, needs no token, ignores one, and responds to HEAD', async (probe, more) => {
  const path = `/health/${probe}`;
  for (const credentials of [{}, { Authorization: 'Bearer nonsense' }] as Record<string, string>[]) {
    const { status, headers, body } = await use.service.anyone.get(path, credentials);
    expect({ status, body }).toEqual({ status: 200, body: { status: 'ok', ...more } });
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  }
  expect((await sendHttp(use.service.url, path, { method: 'HEAD' })).status).toBe(200);
});

describe('GET /health/ready', () => {
  it('returns 503 with the cause while the database is unreachable, and 200 afterwards (E2)', async () => {
    const proxy = await startDatabaseProxy(use.database.connection);
    const throughProxy = { ...use.database, connection: proxy.connection };
    await withServiceOn(throughProxy, {}, async ({ anyone }) => {
      const ready = () => anyone.get('/health/ready');
      expect((await ready()).status).toBe(200);
      await proxy.refuse();
      const startedAt = performance.now();
      const { status, headers, body } = await ready();
      expect(performance.now() - startedAt).toBeLessThan(5_000);
      expect({ status, body }).toEqual({
        status: 503,
        body: {
          status: 'unavailable',
          message: expect.stringMatching(/^The database .+\.$/),
          checks: { database: 'unreachable', migrations: 'unknown' },
        },
      });
      expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      expect(secretsIn(body)).toEqual([]);
      // Liveness stays ok, because a restart would not help.
      expect((await anyone.get('/health/live')).status).toBe(200);

      await proxy.heal();
      await eventually('ready again', async () => (await ready()).status === 200);
    });
    await proxy.close();
  });

  it('returns 503 while a migration of this build is missing, and ignores migrations of a newer build', async () => {
    const { dataSource } = use.database;
    const ready = async () => {
      const { status, body } = await use.service.anyone.get('/health/ready');
      return { status, body };
    };
    const [[last]] = await dataSource.query<[[{ name: string; timestamp: string }]]>(
      'delete from migrations where id = (select max(id) from migrations) returning name, timestamp',
    );
    expect(await ready()).toEqual({
      status: 503,
      body: {
        status: 'unavailable',
        message: expect.stringContaining('db migrate'),
        checks: { database: 'ok', migrations: 'pending' },
      },
    });
    await dataSource.query(
      `insert into migrations (name, timestamp) values ($1, $2), ('FromTheFuture4102444800000', 4102444800000)`,
      [last.name, last.timestamp],
    );
    expect((await ready()).status).toBe(200);
  });

  it('returns 503 as soon as the server begins to stop, while it still serves requests', () =>
    withServiceOn(use.database, {}, async (service) => {
      await service.beginToStop();
      const { status, headers, body } = await service.anyone.get('/health/ready');
      const stopping = { status: 'stopping', message: expect.stringMatching(/stopping.+\.$/) };
      expect({ status, body }).toEqual({ status: 503, body: stopping });
      expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      expect((await service.anyone.get('/health/live')).status).toBe(200);
      expect((await service.anyone.get('/api/v1/forms')).status).toBe(200);
    }));
});
