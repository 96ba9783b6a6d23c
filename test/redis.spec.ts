import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import { RedisWindowStorage } from '../src/throttling/rate-limit.redis.js';
import { client } from './support/client.js';
import { eventually } from './support/eventually.js';
import { type Proxy, startProxy } from './support/proxy.js';
import { openSocket } from './support/raw.js';
import { bearer, newRespondent, publicForm } from './support/respondents.js';
import { newUser, ownRedisUrl, type Service, startService } from './support/service.js';
import { useDatabase } from './support/test-database.js';
import { testServer } from './support/test-server.js';

const FORMS = '/api/v1/forms';
const MINUTE = 60_000;
const LOST =
  'Rate limits cannot be counted in Redis, so each instance counts its own requests. No request fails. Check Redis and REDIS_URL.: ';
const BACK = 'info: Rate limits are counted in Redis again.';
/** Milliseconds that a request may wait for Redis. */
const LONGEST_WAIT = 100;

const { redisUrl } = testServer();
const withRedis = redisUrl === undefined ? describe.skip : describe;
const withOwnServer = redisUrl === undefined || !isInstalled('redis-server') ? describe.skip : describe;

function isInstalled(program: string): boolean {
  try {
    execFileSync(program, ['--version']);
    return true;
  } catch {
    return false;
  }
}

/** Starts a storage that counts requests in Redis, and collects the storage's log lines. */
async function startStorage(url: string) {
  const lines: { level: number; msg: string; reason?: string }[] = [];
  const logger = pino({ base: null }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const storage = new RedisWindowStorage(url, logger);
  await storage.start();
  return {
    storage,
    lines,
    said: () =>
      lines.map(({ level, msg, reason }) =>
        [pino.levels.labels[level], msg, reason].filter(Boolean).join(': '),
      ),
    hit: (key = 'somebody', limit = 60, ttl = MINUTE) => storage.increment(key, ttl, limit, ttl, 'address'),
    isBack: () => eventually('Redis is back', () => storage.connected),
  };
}
type Storage = Awaited<ReturnType<typeof startStorage>>;

const lostBecause = (why: string) => expect.stringMatching(new RegExp(`^warn: ${LOST}${why}$`)) as string;

/** Sends hits one after another until `until`. Throws if a hit fails, or if more than a few hits wait. */
async function hitsUntil({ hit }: Storage, until: () => boolean): Promise<void> {
  const took: number[] = [];
  await eventually(
    'the end of the hits',
    async () => {
      const startedAt = performance.now();
      await hit(`somebody ${took.length}`);
      took.push(performance.now() - startedAt);
      return until();
    },
    10_000,
  );
  // A busy machine may delay a few hits.
  expect(took.filter((ms) => ms > LONGEST_WAIT).length).toBeLessThanOrEqual(3);
}

/** Sends hits for two seconds, long enough for several attempts to reconnect. */
function hitsForLong(storage: Storage): Promise<void> {
  const startedAt = performance.now();
  return hitsUntil(storage, () => performance.now() - startedAt > 2_000);
}

withRedis('rate limits in Redis (skipped unless REDIS_URL is set)', () => {
  const database = useDatabase();
  let services: Service[] = [];
  afterEach(async () => {
    for (const service of services) await service.close();
    services = [];
  });

  async function startReplicas(
    count: number,
    variables: Record<string, string>,
    watch = { redisUrl: ownRedisUrl() },
  ) {
    const all = { TRUST_PROXY: '127.0.0.1', ...variables };
    for (let replica = 0; replica < count; replica += 1)
      services.push(await startService(database, all, undefined, watch));
    return services as [Service, Service, ...Service[]];
  }
  const namesOf = async (service: Service, work: () => Promise<unknown>) =>
    (await service.statementsDuring(work)).map(({ name }) => name);

  it('N instances together allow exactly the limit, even for concurrent requests (E4)', async () => {
    const replicas = await startReplicas(3, { THROTTLE_LIMIT: '40' });
    const answers = await Promise.all(
      Array.from({ length: 150 }, (_, request) => replicas[request % 3]!.anyone.get(FORMS)),
    );
    const allowed = answers.filter(({ status }) => status === 200);
    const rejected = answers.filter(({ status }) => status === 429);
    expect(rejected).toHaveLength(110);
    const lefts = allowed.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
    expect(lefts.sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, left) => left));
    for (const { headers } of rejected) {
      expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
    }
  });

  it('users and addresses are counted separately, each by all instances together', async () => {
    const [one, other] = await startReplicas(2, { THROTTLE_LIMIT: '10', THROTTLE_USER_LIMIT: '20' });
    const ada = await newUser({ database, service: one });
    const grace = await newUser({ database, service: one });
    const adaElsewhere = client(other.url, bearer(ada.plainToken));
    const left = async (of: ReturnType<typeof client>, address?: string) =>
      Number(
        (await of.get(FORMS, address ? { 'X-Forwarded-For': address } : {})).headers.get(
          'x-ratelimit-remaining',
        ),
      );

    // This address equals the user's id, but the two are counted separately.
    expect(await left(one.anyone, String(ada.id))).toBe(9);
    expect([await left(ada.client), await left(adaElsewhere), await left(grace.client)]).toEqual([
      19, 18, 19,
    ]);
    for (const [address, hits] of [
      ['203.0.113.1', 9],
      ['203.0.113.1', 8],
      ['203.0.113.2', 9],
      ['2001:db8::1', 9],
      ['2001:db8::2', 8],
    ] as const)
      expect([address, await left(hits === 8 ? other.anyone : one.anyone, address)]).toEqual([address, hits]);
  });

  it('the instances together look up a fixed number of invalid tokens for an address over its limit', async () => {
    const replicas = await startReplicas(2, { THROTTLE_LIMIT: '3' });
    const flood = () =>
      Promise.all(
        Array.from({ length: 10 }, (_, request) => {
          const token = `ftk_${randomBytes(32).toString('base64url')}`;
          return client(replicas[request % 2]!.url, bearer(token)).get('/api/v1/submissions');
        }),
      );
    let total = 0;
    for (let floods = 0; floods < 8; floods += 1)
      total += (await namesOf(replicas[0], flood)).filter((name) => name === 'tokens.find').length;
    // Concurrent requests may all see that one look-up is left.
    expect(total).toBeLessThanOrEqual(3 + 60 + 3);
    expect(total).toBeGreaterThanOrEqual(3 + 60);
    expect(await namesOf(replicas[0], flood)).not.toContain('tokens.find');
  });

  it.each([
    ['/api/v1/respondents', { RESPONDENT_LIMIT: '5' }, 5, 3_600],
    ['/api/v1/resume', {}, 10, 60],
  ] as const)(
    '%s is limited by all instances together, and costs no statement over its limit (P6)',
    async (path, variables, limit, window) => {
      const replicas = await startReplicas(2, { THROTTLE_LIMIT: '0', ...variables });
      const flood = () =>
        Promise.all(
          Array.from({ length: 30 }, (_, request) => {
            const headers = { 'X-Forwarded-For': `2001:db8::${request}` };
            return replicas[request % 2]!.anyone.post(path, { form_uuid: 'none', code: 'none' }, headers);
          }),
        );
      expect((await flood()).filter(({ status }) => status === 422)).toHaveLength(limit);
      let rejected: Awaited<ReturnType<typeof flood>> = [];
      expect(await namesOf(replicas[0], async () => (rejected = await flood()))).toEqual([]);
      for (const { status, headers } of rejected) {
        const limits = ['x-ratelimit-limit', 'x-ratelimit-remaining'].map((name) => headers.get(name));
        expect([status, ...limits]).toEqual([429, String(limit), '0']);
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(window * 0.9);
        expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(window);
      }
    },
  );

  it('the requests of respondents are counted for their address by all instances together (P6)', async () => {
    const replicas = await startReplicas(2, { THROTTLE_LIMIT: '1', THROTTLE_USER_LIMIT: '100' });
    const { plainToken } = await newRespondent(
      { database, service: replicas[0] },
      await publicForm({ database }),
    );
    const statuses: number[] = [];
    // The request without a token has used up the look-ups of its own address.
    const headers = { ...bearer(plainToken), 'X-Forwarded-For': '203.0.113.9' };
    for (let request = 0; request < 12; request += 1)
      statuses.push((await replicas[request % 2]!.anyone.get(FORMS, headers)).status);
    expect(statuses).toEqual([...Array<number>(10).fill(200), 429, 429]);
  });

  it('a request with a cached token sends one command to Redis', async () => {
    const [service] = await startReplicas(1, { THROTTLE_LIMIT: '3', THROTTLE_USER_LIMIT: '10' });
    const { client: own } = await newUser({ database, service });
    // The first request also checks whether its address may still look up tokens.
    await own.get(FORMS);
    expect(await service.redisCommandsDuring(() => own.get(FORMS))).toHaveLength(1);
  });

  describe('a window', () => {
    let storage: Storage;
    let redis: Redis;
    let key: string;
    beforeEach(async () => {
      const url = ownRedisUrl()!;
      key = `${new URL(url).searchParams.get('keyPrefix')}formtrail:limit:address:somebody`;
      storage = await startStorage(url);
      redis = new Redis(redisUrl!);
    });
    afterEach(() => {
      storage.storage.close();
      redis.disconnect();
    });

    it('begins with its first hit, not when its hits are read, and ends with the key', async () => {
      expect(await storage.storage.hitsOf('somebody', 'address')).toBe(0);
      expect(await redis.exists(key)).toBe(0);
      const first = { totalHits: 1, timeToExpire: 60, isBlocked: false, timeToBlockExpire: 0 };
      expect(await storage.hit()).toEqual(first);
      expect(await storage.storage.hitsOf('somebody', 'address')).toBe(1);
      const left = await redis.pttl(key);
      expect(left).toBeGreaterThan(MINUTE - 10_000);
      expect(left).toBeLessThanOrEqual(MINUTE);
      // Pretend that 40 seconds have passed.
      await redis.pexpire(key, 20_000);
      const blocked = { totalHits: 2, timeToExpire: 20, isBlocked: true, timeToBlockExpire: 20 };
      expect(await storage.hit('somebody', 1)).toEqual(blocked);
      expect(await redis.pttl(key)).toBeLessThanOrEqual(20_000);
      await redis.pexpire(key, 1);
      await eventually('the key is gone', async () => (await redis.exists(key)) === 0);
      expect(await storage.hit('somebody', 1)).toMatchObject({ totalHits: 1, isBlocked: false });
    });

    it('gets a new end if its key has lost its expiry', async () => {
      await storage.hit();
      await redis.persist(key);
      expect(await storage.hit()).toMatchObject({ totalHits: 2, timeToExpire: 60 });
      expect(await redis.pttl(key)).toBeGreaterThan(0);
    });

    it('stays in Redis if the instance itself is busy for longer than the timeout', async () => {
      const beBusy = () => {
        const startedAt = performance.now();
        while (performance.now() - startedAt < 100);
      };
      for (let count = 1; count <= 5; count += 1) {
        beBusy();
        const counted = storage.hit();
        beBusy();
        expect(await counted).toMatchObject({ totalHits: count });
      }
      expect(storage.said()).toEqual([]);
    });
  });

  describe('behind a broken network', () => {
    let proxy: Proxy;
    let storage: Storage;
    beforeEach(async () => {
      const url = new URL(ownRedisUrl()!);
      proxy = await startProxy({ host: url.hostname, port: Number(url.port || 6379) });
      url.host = `127.0.0.1:${proxy.port}`;
      storage = await startStorage(url.href);
    });
    afterEach(async () => {
      storage.storage.close();
      await proxy.close();
    });

    it.each<[string, () => unknown, string]>([
      ['that swallows packets', () => proxy.swallow(), 'no reply within 50 ms'],
      ['that refuses connections', () => proxy.refuse(), '.+'],
    ])('%s, no hit fails or waits, and the loss and the return log one line each', async (_, lose, why) => {
      for (const totalHits of [1, 2]) expect(await storage.hit()).toMatchObject({ totalHits });
      await lose();
      await hitsForLong(storage);
      expect(storage.said()).toEqual([lostBecause(why)]);
      // The instance counts its own requests.
      expect(await storage.hit('else', 1)).toMatchObject({ totalHits: 1, isBlocked: false });
      expect(await storage.hit('else', 1)).toMatchObject({ totalHits: 2, isBlocked: true });

      await proxy.heal();
      await hitsUntil(storage, () => storage.storage.connected);
      expect(await storage.hit()).toMatchObject({ totalHits: 3 });
      expect(storage.said()).toEqual([lostBecause(why), BACK]);
    });

    it('all requests succeed, including those in flight when it breaks', async () => {
      const watch = { redisUrl: `redis://127.0.0.1:${proxy.port}` };
      const [service] = await startReplicas(1, { THROTTLE_LIMIT: '1000' }, watch);
      const ask = () => Promise.all(Array.from({ length: 20 }, () => service.anyone.get(FORMS)));
      const healthy = await ask();
      const underWay = ask();
      proxy.swallow();
      for (const { status, headers } of [...healthy, ...(await underWay), ...(await ask())]) {
        expect(status).toBe(200);
        expect(headers.get('x-ratelimit-remaining')).toMatch(/^9\d\d$/);
      }
    });

    it('the storage notices a loss without a hit', async () => {
      proxy.swallow();
      await eventually('it is noticed', () => !storage.storage.connected);
      proxy.cut();
      await proxy.heal();
      await storage.isBack();
      expect(storage.lines).toHaveLength(2);
    });
  });
});

withOwnServer('Redis itself (skipped unless REDIS_URL is set and redis-server is installed)', () => {
  const PASSWORD = 'correct-horse';
  let directory: string;
  let port: number;
  let server: ChildProcess;
  let storage: Storage;

  async function startServer() {
    const options = { port, bind: '127.0.0.1', dir: directory, save: '', requirepass: PASSWORD };
    const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
    server = spawn('redis-server', words, { stdio: 'ignore' });
    await eventually('Redis listens', () =>
      openSocket(`http://127.0.0.1:${port}`).then(
        (socket) => socket.destroy(),
        () => undefined,
      ),
    );
  }
  const kill = async () => {
    const ended = once(server, 'exit');
    server.kill('SIGKILL');
    await ended;
  };
  const urlWith = (password: string) => `redis://:${password}@127.0.0.1:${port}`;
  const administer = async (work: (redis: Redis) => Promise<unknown>) => {
    const redis = new Redis(urlWith(PASSWORD));
    await work(redis);
    redis.disconnect();
  };

  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'formtrail-redis-'));
    // Find a free port.
    const proxy = await startProxy({ port: 1 });
    port = proxy.port;
    await proxy.close();
  });
  beforeEach(startServer);
  afterEach(async () => {
    storage.storage.close();
    if (server.exitCode === null && server.signalCode === null) await kill();
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  it.each<[string, () => unknown, () => unknown, string]>([
    ['is stopped', () => server.kill('SIGSTOP'), () => server.kill('SIGCONT'), '.+'],
    ['is killed', kill, startServer, '.+'],
    [
      'is out of memory',
      () => administer((redis) => redis.config('SET', 'maxmemory', '1')),
      () => administer((redis) => redis.config('SET', 'maxmemory', '0')),
      'OOM .+',
    ],
    [
      'becomes a replica',
      () => administer((redis) => redis.replicaof('127.0.0.1', 1)),
      () => administer((redis) => redis.replicaof('NO', 'ONE')),
      '(READONLY|MASTERDOWN) .+',
    ],
  ])(
    'may be unavailable: when it %s, no hit fails or waits, and the loss and the return log one line each',
    async (_, begin, end, why) => {
      storage = await startStorage(urlWith(PASSWORD));
      await begin();
      await hitsForLong(storage);
      expect(storage.storage.connected).toBe(false);
      expect(storage.said()).toEqual([lostBecause(why)]);
      await end();
      await hitsUntil(storage, () => storage.storage.connected);
      expect(storage.said()).toEqual([lostBecause(why), BACK]);
    },
  );

  it('may reply too late: it counts as back only after a reconnection', async () => {
    storage = await startStorage(urlWith(PASSWORD));
    const { hit, said } = storage;
    server.kill('SIGSTOP');
    const hits: Promise<unknown>[] = [];
    await eventually('the first hit gives up', () => {
      hits.push(hit());
      return said().length > 0;
    });
    server.kill('SIGCONT');
    await Promise.all(hits);
    await storage.isBack();
    expect(said()).toEqual([lostBecause('no reply within 50 ms'), BACK]);
  });

  it('may be unavailable at the start, which neither fails nor waits', async () => {
    server.kill('SIGSTOP');
    storage = await startStorage(urlWith(PASSWORD));
    expect(await storage.hit()).toMatchObject({ totalHits: 1 });
    server.kill('SIGCONT');
    await storage.isBack();
    expect(storage.said()).toEqual([lostBecause('no reply within 500 ms'), BACK]);
  });

  it('may become a replica for good: the storage reconnects to its address, which leads to the new primary', async () => {
    await administer((redis) =>
      redis.multi().config('SET', 'requirepass', '').replicaof('127.0.0.1', 1).exec(),
    );
    const proxy = await startProxy({ host: '127.0.0.1', port });
    try {
      const url = new URL(ownRedisUrl()!);
      const primary = { host: url.hostname, port: Number(url.port || 6379) };
      url.host = `127.0.0.1:${proxy.port}`;
      storage = await startStorage(url.href);
      expect(storage.said()).toEqual([lostBecause('(READONLY|MASTERDOWN) .+')]);
      proxy.redirect(primary);
      await storage.isBack();
    } finally {
      await proxy.close();
    }
  });

  it.each<[string, () => string, string]>([
    ['a wrong password', () => urlWith('hunter2'), 'it rejects the credentials of REDIS_URL'],
    ['no password', () => `redis://127.0.0.1:${port}`, 'NOAUTH .+'],
    ['a database that it does not have', () => `${urlWith(PASSWORD)}/4711`, 'ERR DB index is out of range'],
  ])('may reject %s, and the log line contains no password', async (_, url, why) => {
    storage = await startStorage(url());
    await hitsForLong(storage);
    expect(storage.said()).toEqual([lostBecause(why)]);
    expect(JSON.stringify(storage.lines)).not.toMatch(new RegExp(`hunter2|${PASSWORD}`));
  });
});
