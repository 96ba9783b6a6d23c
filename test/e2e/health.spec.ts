import { startDatabaseProxy } from '../support/database-proxy.js';
import { eventually } from '../support/eventually.js';
import { sendHttp } from '../support/raw.js';
import { secretsIn } from '../support/refusal.js';
import { startService, useService } from '../support/service.js';

describe('GET /health/live', () => {
  const use = useService();

  it('returns 200 if the process responds', async () => {
    const { status, headers, body } = await use.service.anyone.get('/health/live');
    expect({ status, body }).toEqual({ status: 200, body: { status: 'ok' } });
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  });
});

describe('GET /health/ready', () => {
  const use = useService();

  it('returns 200 if requests can be served', async () => {
    const { status, body } = await use.service.anyone.get('/health/ready');
    expect({ status, body }).toEqual({
      status: 200,
      body: { status: 'ok', checks: { database: 'ok', migrations: 'ok' } },
    });
  });

  it('needs no token and ignores one', async () => {
    for (const path of ['/health/live', '/health/ready']) {
      const answer = await use.service.anyone.get(path, { Authorization: 'Bearer nonsense' });
      expect(answer.status).toBe(200);
    }
  });

  it('responds to HEAD too, for load balancers', async () => {
    for (const path of ['/health/live', '/health/ready']) {
      const { status } = await sendHttp(use.service.url, path, { method: 'HEAD' });
      expect(status).toBe(200);
    }
  });

  it('returns 503 with the cause while the database is unreachable, and 200 afterwards (E2)', async () => {
    const proxy = await startDatabaseProxy(use.database.connection);
    const service = await startService({ ...use.database, connection: proxy.connection });
    try {
      expect((await service.anyone.get('/health/ready')).status).toBe(200);
      await proxy.refuse();
      const startedAt = performance.now();
      const { status, headers, body } = await service.anyone.get('/health/ready');
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
      expect((await service.anyone.get('/health/live')).status).toBe(200);

      await proxy.heal();
      await eventually('ready again', async () => (await service.anyone.get('/health/ready')).status === 200);
    } finally {
      await service.close();
      await proxy.close();
    }
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

  it('returns 503 as soon as the server begins to stop, while it still serves requests', async () => {
    const service = await startService(use.database);
    try {
      await service.beginToStop();
      const { status, headers, body } = await service.anyone.get('/health/ready');
      expect({ status, body }).toEqual({
        status: 503,
        body: { status: 'stopping', message: expect.stringMatching(/stopping.+\.$/) },
      });
      expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      expect((await service.anyone.get('/health/live')).status).toBe(200);
      expect((await service.anyone.get('/api/v1/forms')).status).toBe(200);
    } finally {
      await service.close();
    }
  });
});
