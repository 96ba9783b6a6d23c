import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import { RedisWindowStorage } from '../src/throttling/rate-limit.redis.js';
import { client } from './support/client.js';
import { eventually } from './support/eventually.js';
import { type Proxy, startProxy } from './support/proxy.js';
import { bearer, newRespondent, publicForm } from './support/respondents.js';
import { newUser, ownRedisUrl } from './support/service.js';
import { type ServiceInProcess, startServiceInProcess } from './support/service-in-process.js';
import { statementsDuring } from './support/statements.js';
import { testDatabase, type TestDatabase } from './support/test-database.js';
import { testServer } from './support/test-server.js';

const FORMS = '/api/v1/forms';
const MINUTE = 60_000;
const LOST =
  'Rate limits cannot be counted in Redis, so each instance counts its own requests. No request fails. Check Redis and REDIS_URL.: ';
const BACK = 'Rate limits are counted in Redis again.';
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
  };
}
type Storage = Awaited<ReturnType<typeof startStorage>>;

const lostBecause = (why: string | RegExp) => {
  const reason = typeof why === 'string' ? why : why.source;
  return expect.stringMatching(new RegExp(`^warn: ${LOST}${reason}$`)) as string;
};

/** Sends hits one after another until `until`, and returns their durations in milliseconds. Throws if a hit fails. */
async function hitsUntil({ hit }: Storage, until: () => boolean): Promise<number[]> {
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
  return took;
}

function expectNoWaits(took: readonly number[]) {
  // A busy machine may delay a few hits.
  expect(took.filter((ms) => ms > LONGEST_WAIT).length).toBeLessThanOrEqual(3);
}

withRedis('rate limits in Redis (skipped unless REDIS_URL is set)', () => {
  let database: TestDatabase;
  let services: ServiceInProcess[];
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(() => database.drop());
  afterEach(async () => {
    for (const service of services) await service.close();
  });

  async function startReplicas(count: number, variables: Record<string, string>) {
    const shared = { redisUrl: ownRedisUrl() };
    services = [];
    for (let replica = 0; replica < count; replica += 1) {
      services.push(
        await startServiceInProcess(database, { TRUST_PROXY: '127.0.0.1', ...variables }, shared),
      );
    }
    return services as [ServiceInProcess, ServiceInProcess, ...ServiceInProcess[]];
  }

  it('N instances together allow exactly the limit, even for concurrent requests', async () => {
    const replicas = await startReplicas(3, { THROTTLE_LIMIT: '40' });
    const answers = await Promise.all(
      Array.from({ length: 150 }, (_, request) => replicas[request % 3]!.anyone.get(FORMS)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(40);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(110);
    const lefts = answers
      .filter(({ status }) => status === 200)
      .map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
    expect(lefts.sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, left) => left));
    for (const { headers } of answers.filter(({ status }) => status === 429)) {
      expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
    }
  });

  it('users and addresses are counted separately, each by all instances together', async () => {
    const [one, other] = await startReplicas(2, { THROTTLE_LIMIT: '10', THROTTLE_USER_LIMIT: '20' });
    const ada = await newUser({ database, service: one });
    const grace = await newUser({ database, service: one });
    const left = async (of: ReturnType<typeof client>, headers: Record<string, string> = {}) =>
      (await of.get(FORMS, headers)).headers.get('x-ratelimit-remaining');
    const adaElsewhere = client(other.url, { Authorization: `Bearer ${ada.plainToken}` });

    // This address equals the user's id, but the two are counted separately.
    const from = (address: string) => ({ 'X-Forwarded-For': address });
    expect(await left(one.anyone, from(String(ada.id)))).toBe('9');
    expect([await left(ada.client), await left(adaElsewhere), await left(ada.client)]).toEqual([
      '19',
      '18',
      '17',
    ]);
    expect(await left(grace.client)).toBe('19');
    expect(await left(one.anyone, from('203.0.113.1'))).toBe('9');
    expect(await left(other.anyone, from('203.0.113.1'))).toBe('8');
    expect(await left(other.anyone, from('203.0.113.2'))).toBe('9');
    expect(await left(other.anyone, from('2001:db8::1'))).toBe('9');
    expect(await left(one.anyone, from('2001:db8::2'))).toBe('8');
  });

  it('the instances together look up a fixed number of invalid tokens for an address over its limit', async () => {
    const replicas = await startReplicas(2, { THROTTLE_LIMIT: '3' });
    const statuses: number[] = [];
    const flood = () =>
      Promise.all(
        Array.from({ length: 10 }, async (_, request) => {
          const token = `ftk_${randomBytes(32).toString('base64url')}`;
          const { url } = replicas[request % 2]!;
          const { status } = await client(url, { Authorization: `Bearer ${token}` }).get(
            '/api/v1/submissions',
          );
          statuses.push(status);
        }),
      );
    const lookUps = async () =>
      (await statementsDuring(flood)).filter(({ name }) => name === 'tokens.find').length;
    let total = 0;
    for (let floods = 0; floods < 8; floods += 1) total += await lookUps();
    // Concurrent requests may all see that one look-up is left.
    expect(total).toBeLessThanOrEqual(3 + 60 + 3);
    expect(total).toBeGreaterThanOrEqual(3 + 60);
    expect(await lookUps()).toBe(0);
    expect(statuses.filter((status) => status === 401)).toHaveLength(3);
    expect(statuses.filter((status) => status === 429)).toHaveLength(87);
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
          Array.from({ length: 30 }, (_, request) =>
            replicas[request % 2]!.anyone.post(
              path,
              { form_uuid: 'none', code: 'none' },
              { 'X-Forwarded-For': `2001:db8::${request}` },
            ),
          ),
        );
      const answers = await flood();
      expect(answers.filter(({ status }) => status === 422)).toHaveLength(limit);
      let rejected: Awaited<ReturnType<typeof flood>> = [];
      expect(await statementsDuring(async () => (rejected = await flood()))).toEqual([]);
      for (const { status, headers } of rejected) {
        expect([status, headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')]).toEqual([
          429,
          String(limit),
          '0',
        ]);
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(window * 0.9);
        expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(window);
      }
    },
  );

  it('the requests of respondents are counted for their address by all instances together (P6)', async () => {
    const [one, other] = await startReplicas(2, { THROTTLE_LIMIT: '1', THROTTLE_USER_LIMIT: '100' });
    const { plainToken } = await newRespondent({ database, service: one }, await publicForm({ database }));
    const statuses: number[] = [];
    // The request without a token has used up the look-ups of its own address.
    const headers = { ...bearer(plainToken), 'X-Forwarded-For': '203.0.113.9' };
    for (let request = 0; request < 12; request += 1) {
      const { anyone } = request % 2 === 0 ? one : other;
      statuses.push((await anyone.get(FORMS, headers)).status);
    }
    expect(statuses).toEqual([...Array<number>(10).fill(200), 429, 429]);
  });

  it('a request with a cached token sends one command to Redis', async () => {
    const [service] = await startReplicas(1, { THROTTLE_LIMIT: '3', THROTTLE_USER_LIMIT: '10' });
    const { client: own } = await newUser({ database, service });
    const commandsDuring = async (work: () => Promise<unknown>) => {
      const sent = jest.spyOn(Redis.prototype, 'sendCommand');
      await work();
      const commands = sent.mock.calls.map(([{ args }]) => args.join(' '));
      sent.mockRestore();
      return commands.filter((command) => !command.includes('probe'));
    };
    // The first request also checks whether its address may still look up tokens.
    expect((await commandsDuring(() => own.get(FORMS))).length).toBeGreaterThan(1);
    expect(await commandsDuring(() => own.get(FORMS))).toHaveLength(1);
  });

  describe('a window', () => {
    let storage: Storage;
    let redis: Redis;
    let keyPrefix: string;
    beforeEach(async () => {
      services = [];
      const url = ownRedisUrl()!;
      keyPrefix = new URL(url).searchParams.get('keyPrefix')!;
      storage = await startStorage(url);
      redis = new Redis(redisUrl!);
    });
    afterEach(() => {
      storage.storage.close();
      redis.disconnect();
    });

    it('begins with its first hit, lasts as long as one in an instance, and ends with the key', async () => {
      const key = `${keyPrefix}formtrail:limit:address:somebody`;
      expect(await storage.hit()).toEqual({
        totalHits: 1,
        timeToExpire: 60,
        isBlocked: false,
        timeToBlockExpire: 0,
      });
      const left = await redis.pttl(key);
      expect(left).toBeGreaterThan(MINUTE - 10_000);
      expect(left).toBeLessThanOrEqual(MINUTE);
      // Pretend that 40 seconds have passed.
      await redis.pexpire(key, 20_000);
      expect(await storage.hit('somebody', 1)).toEqual({
        totalHits: 2,
        timeToExpire: 20,
        isBlocked: true,
        timeToBlockExpire: 20,
      });
      expect(await redis.pttl(key)).toBeLessThanOrEqual(20_000);
      await redis.pexpire(key, 1);
      await eventually('the key is gone', async () => (await redis.exists(key)) === 0);
      expect(await storage.hit('somebody', 1)).toMatchObject({ totalHits: 1, isBlocked: false });
    });

    it('does not begin when its hits are read', async () => {
      const key = `${keyPrefix}formtrail:limit:address:somebody`;
      expect(await storage.storage.hitsOf('somebody', 'address')).toBe(0);
      expect(await redis.exists(key)).toBe(0);
      await storage.hit();
      await storage.hit();
      expect(await storage.storage.hitsOf('somebody', 'address')).toBe(2);
      expect(await redis.get(key)).toBe('2');
    });

    it('ends according to the clock of Redis', async () => {
      await storage.hit('somebody', 1, 1_000);
      expect(await storage.hit('somebody', 1, 1_000)).toMatchObject({
        isBlocked: true,
        timeToBlockExpire: 1,
      });
      await eventually('the next window', async () => !(await storage.hit('somebody', 1, 1_000)).isBlocked);
    });

    it('gets a new end if its key has lost its expiry', async () => {
      const key = `${keyPrefix}formtrail:limit:address:somebody`;
      await storage.hit();
      await redis.persist(key);
      expect(await storage.hit()).toMatchObject({ totalHits: 2, timeToExpire: 60 });
      expect(await redis.pttl(key)).toBeGreaterThan(0);
    });
  });

  it('Redis is not considered lost if the instance itself is busy for longer than the timeout', async () => {
    services = [];
    const { storage, said, hit } = await startStorage(ownRedisUrl()!);
    const beBusy = () => {
      const startedAt = performance.now();
      while (performance.now() - startedAt < 100);
    };
    try {
      for (let count = 1; count <= 5; count += 1) {
        beBusy();
        const counted = hit();
        beBusy();
        expect(await counted).toMatchObject({ totalHits: count });
      }
      expect(said()).toEqual([]);
    } finally {
      storage.close();
    }
  });

  describe('behind a broken network', () => {
    let proxy: Proxy;
    let storage: Storage;
    beforeEach(async () => {
      services = [];
      const url = new URL(ownRedisUrl()!);
      proxy = await startProxy({ host: url.hostname, port: Number(url.port || 6379) });
      url.host = `127.0.0.1:${proxy.port}`;
      storage = await startStorage(url.href);
    });
    afterEach(async () => {
      storage.storage.close();
      await proxy.close();
    });

    it.each<[string, () => Promise<void> | void, RegExp]>([
      [
        'that swallows packets',
        () => {
          proxy.swallow();
        },
        /no reply within 50 ms/,
      ],
      ['that refuses connections', () => proxy.refuse(), /.+/],
    ])('%s, no hit fails or waits, and the loss and the return log one line each', async (_, lose, why) => {
      expect(await storage.hit()).toMatchObject({ totalHits: 1 });
      expect(await storage.hit()).toMatchObject({ totalHits: 2 });
      await lose();
      // Send hits for two seconds, long enough for several attempts to reconnect.
      const startedAt = performance.now();
      expectNoWaits(await hitsUntil(storage, () => performance.now() - startedAt > 2_000));
      expect(storage.said()).toEqual([lostBecause(why)]);
      // The instance counts its own requests.
      expect(await storage.hit('else', 1)).toMatchObject({ totalHits: 1, isBlocked: false });
      expect(await storage.hit('else', 1)).toMatchObject({ totalHits: 2, isBlocked: true });

      await proxy.heal();
      expectNoWaits(await hitsUntil(storage, () => storage.storage.connected));
      expect(await storage.hit()).toMatchObject({ totalHits: 3 });
      expect(storage.said()).toEqual([lostBecause(why), `info: ${BACK}`]);
    });

    it('all requests succeed, including those in flight when it breaks', async () => {
      const redisUrl = `redis://127.0.0.1:${proxy.port}`;
      const service = await startServiceInProcess(database, { THROTTLE_LIMIT: '1000' }, { redisUrl });
      services = [service];
      const ask = () => Promise.all(Array.from({ length: 20 }, () => service.anyone.get(FORMS)));
      expect((await ask()).map(({ status }) => status)).toEqual(Array(20).fill(200));
      const underWay = ask();
      proxy.swallow();
      for (const answers of [await underWay, await ask()]) {
        for (const { status, headers } of answers) {
          expect(status).toBe(200);
          expect(headers.get('x-ratelimit-remaining')).toMatch(/^9\d\d$/);
        }
      }
    });

    it('the storage notices a loss without a hit', async () => {
      proxy.swallow();
      await eventually('it is noticed', () => !storage.storage.connected);
      proxy.cut();
      await proxy.heal();
      await eventually('and its end', () => storage.storage.connected);
      expect(storage.lines).toHaveLength(2);
    });
  });
});

withOwnServer('Redis itself (skipped unless REDIS_URL is set and redis-server is installed)', () => {
  jest.setTimeout(60_000);
  const PASSWORD = 'correct-horse';
  let directory: string;
  let port: number;
  let server: ChildProcess;
  let storage: Storage | undefined;

  async function startServer() {
    server = spawn(
      'redis-server',
      [
        '--port',
        String(port),
        '--bind',
        '127.0.0.1',
        '--dir',
        directory,
        '--save',
        '',
        '--requirepass',
        PASSWORD,
      ],
      { stdio: 'ignore' },
    );
    await eventually('Redis listens', () => isListening(port));
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
    storage?.storage.close();
    storage = undefined;
    if (server.exitCode === null && server.signalCode === null) await kill();
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  it.each<[string, () => Promise<void> | void, () => Promise<void> | void]>([
    ['is stopped', () => void server.kill('SIGSTOP'), () => void server.kill('SIGCONT')],
    ['is killed', kill, startServer],
  ])(
    'may be unavailable: when it %s, no hit fails or waits, and the loss and the return log one line each',
    async (_, stop, goOn) => {
      storage = await startStorage(urlWith(PASSWORD));
      const { said } = storage;
      for (let round = 1; round <= 2; round += 1) {
        expect(storage.storage.connected).toBe(true);
        await stop();
        const startedAt = performance.now();
        expectNoWaits(await hitsUntil(storage, () => performance.now() - startedAt > 1_500));
        expect(storage.storage.connected).toBe(false);
        expect(said()).toHaveLength(2 * round - 1);
        await goOn();
        expectNoWaits(await hitsUntil(storage, () => storage?.storage.connected === true));
        expect(said()).toHaveLength(2 * round);
      }
      expect(said()).toEqual([lostBecause(/.+/), `info: ${BACK}`, lostBecause(/.+/), `info: ${BACK}`]);
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
    await eventually('it is counted with', () => storage?.storage.connected);
    await hitsUntil(storage, () => said().length > 1);
    expect(said()).toEqual([lostBecause('no reply within 50 ms'), `info: ${BACK}`]);
  });

  it('may be unavailable at the start, which neither fails nor waits', async () => {
    server.kill('SIGSTOP');
    storage = await startStorage(urlWith(PASSWORD));
    expect(await storage.hit()).toMatchObject({ totalHits: 1 });
    server.kill('SIGCONT');
    await eventually('it is counted with', () => storage?.storage.connected);
    expect(storage.said()).toEqual([lostBecause('no reply within 500 ms'), `info: ${BACK}`]);
  });

  it.each<[string, (redis: Redis) => Promise<unknown>, (redis: Redis) => Promise<unknown>, string]>([
    [
      'is out of memory',
      (redis) => redis.config('SET', 'maxmemory', '1'),
      (redis) => redis.config('SET', 'maxmemory', '0'),
      'OOM .+',
    ],
    [
      'becomes a replica',
      (redis) => redis.replicaof('127.0.0.1', 1),
      (redis) => redis.replicaof('NO', 'ONE'),
      '(READONLY|MASTERDOWN) .+',
    ],
  ])(
    'may reject commands: when it %s, the instance counts its own hits until Redis recovers',
    async (_, begin, end, why) => {
      storage = await startStorage(urlWith(PASSWORD));
      await administer(begin);
      const startedAt = performance.now();
      expectNoWaits(await hitsUntil(storage, () => performance.now() - startedAt > 1_500));
      expect(storage.said()).toEqual([lostBecause(why)]);
      await administer(end);
      await eventually('it is counted with', () => storage?.storage.connected);
      expect(storage.said()).toEqual([lostBecause(why), `info: ${BACK}`]);
    },
  );

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
      await eventually('it is counted with', () => storage?.storage.connected);
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
    const startedAt = performance.now();
    await hitsUntil(storage, () => performance.now() - startedAt > 1_500);
    expect(storage.said()).toEqual([lostBecause(why)]);
    expect(JSON.stringify(storage.lines)).not.toMatch(new RegExp(`hunter2|${PASSWORD}`));
  });
});

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
      .once('connect', () => {
        resolve(true);
        socket.destroy();
      })
      .once('error', () => {
        resolve(false);
      });
  });
}
