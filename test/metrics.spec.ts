import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { pino } from 'pino';
import type { Histogram } from 'prom-client';
import { startMetrics } from '../src/metrics/metrics-server.js';
import { createWebhookEndpoint } from '../src/entities.js';
import { Webhooks } from '../src/webhooks/webhooks.service.js';
import { client as newClient } from './support/client.js';
import { createDraft } from './support/drafts.js';
import { eventually } from './support/eventually.js';
import { buildForm } from './support/forms.js';
import { acceptingTokensOf, type IdentityProvider, identityProvider } from './support/identity-provider.js';
import { itOnOneServer } from './support/it-on-one-server.js';
import { sendHttp } from './support/raw.js';
import { newUser } from './support/service.js';
import { type ServiceInProcess, startServiceInProcess } from './support/service-in-process.js';
import { testDatabase, type TestDatabase } from './support/test-database.js';
import { asAnotherProgram } from './support/test-server.js';

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const KEY = randomBytes(32);

let database: TestDatabase;
let metrics: Awaited<ReturnType<typeof startMetrics>>;
let service: ServiceInProcess;
let webhooks: Webhooks;
let provider: IdentityProvider;
let awayProvider: IdentityProvider;

beforeAll(async () => {
  database = await testDatabase();
  metrics = await startMetrics('1.2.3', 0, '127.0.0.1');
  [provider, awayProvider] = await Promise.all([identityProvider(), identityProvider()]);
  provider.otherKeys = [{ kty: 'RSA', kid: 'unusable' }];
  awayProvider.isAway = true;
  const variables = {
    ...acceptingTokensOf(provider, awayProvider),
    THROTTLE_LIMIT: '10000',
    THROTTLE_USER_LIMIT: '2',
  };
  service = await startServiceInProcess(database, variables, {
    redisUrl: 'redis://127.0.0.1:1',
    metrics: metrics.metrics,
  });
  const logger = pino({ level: 'silent' });
  webhooks = await new Webhooks({
    connection: database.connection,
    key: KEY,
    allow: [],
    logger,
  }).start();
  metrics.metrics.watchWebhooks(webhooks);
});

afterAll(async () => {
  await service.close();
  await webhooks.close();
  await Promise.all([provider.close(), awayProvider.close()]);
  await metrics.close();
  await database.drop();
});

afterEach(() => {
  jest.restoreAllMocks();
});

/** Returns every sample of the metrics. Throws if a line is not a sample, HELP or TYPE. */
async function scrape(): Promise<Sample[]> {
  const response = await fetch(metrics.url);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const text = await response.text();
  expect(text.endsWith('\n')).toBe(true);
  return text.split('\n').flatMap((line) => {
    if (line === '' || /^# (HELP|TYPE) [a-z_][a-z0-9_]* \S/.test(line)) return [];
    const [, name, labels = '', value] =
      /^([a-z_][a-z0-9_]*)(?:\{((?:\w+="[^"\\\n]*",?)+)\})? ([-+.\deE]+|Nan)$/.exec(line) ?? [];
    if (name === undefined) throw new Error(`not a sample: ${line}`);
    const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, of]) => [label, of] as const);
    return [{ name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) }];
  });
}

/** The sum of the samples with these labels, or undefined if there are none. */
function valueOf(samples: readonly Sample[], name: string, labels: Record<string, string> = {}) {
  const found = samples.filter(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([label, of]) => sample.labels[label] === of),
  );
  return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
}

const REQUESTS = 'http_request_duration_seconds_count';

/** Milliseconds until cached results of database queries have surely expired. */
const AFTER_CACHED = 20_000;

/** Returns the names of statements in the sources. Labels of metrics must have no other names. */
async function namesOfStatements(): Promise<Set<string>> {
  const sources = path.resolve(__dirname, '../src');
  const files = (await readdir(sources, { recursive: true })).filter((file) => /(?<!\.spec)\.ts$/.test(file));
  const texts = await Promise.all(files.map((file) => readFile(path.join(sources, file), 'utf8')));
  return new Set(
    texts.flatMap((text) => [...text.matchAll(/'([a-z]+\.[a-z_]+)'/g)].map(([, name]) => name!)),
  );
}

describe('GET /metrics', () => {
  it('counts each request under the pattern of its route, with its duration', async () => {
    const { uuid } = (await buildForm(database.dataSource)).form;
    const before = await scrape();
    for (const path of [`/api/v1/forms/${uuid}`, `/api/v1/forms/${uuid.toUpperCase()}`]) {
      expect((await service.anyone.get(path)).status).toBe(200);
    }
    expect((await service.anyone.get('/api/v1/forms/none')).status).toBe(404);
    expect((await service.anyone.post('/api/v1/submissions', {})).status).toBe(401);

    const samples = await scrape();
    const more = (name: string, labels: Record<string, string>) =>
      (valueOf(samples, name, labels) ?? 0) - (valueOf(before, name, labels) ?? 0);
    const form = { method: 'GET', route: '/api/v1/forms/:uuid' };
    expect(more(REQUESTS, { ...form, status: '200' })).toBe(2);
    expect(more(REQUESTS, { ...form, status: '404' })).toBe(1);
    expect(more(REQUESTS, { method: 'POST', route: '/api/v1/submissions', status: '401' })).toBe(1);
    const took = more('http_request_duration_seconds_sum', { ...form, status: '200' });
    expect(took).toBeGreaterThan(0);
    expect(took).toBeLessThan(60);
  });

  it('gets no more series from requests with other paths, methods and hosts', async () => {
    const attack = async (round: number) => {
      const path = `/${round}/${'x'.repeat(round * 10)}?${round}="} 1`;
      for (const [method, target] of [
        ['GET', path],
        ['GET', `/api/v1/forms/${round}`],
        ['GET', `/api/v1/%${round}`],
        ['PROPFIND', path],
        ['M-SEARCH', `/api/v1/forms/${round}`],
        ['DELETE', `/api/v1/submissions/${round}`],
        ['OPTIONS', path],
      ] as const) {
        await sendHttp(service.url, encodeURI(target), { method, headers: { Host: `${round}.example.org` } });
      }
    };
    const names = (samples: readonly Sample[]) =>
      new Set(samples.map(({ name, labels }) => `${name} ${JSON.stringify(labels)}`));
    await attack(0);
    const series = names((await scrape()).filter(({ name }) => /^(http|formtrail)_/.test(name)));
    for (let round = 1; round <= 30; round += 1) await attack(round);
    const samples = await scrape();
    expect(names(samples.filter(({ name }) => /^(http|formtrail)_/.test(name)))).toEqual(series);
    expect(valueOf(samples, REQUESTS, { method: 'other', route: 'unknown' })).toBeGreaterThanOrEqual(62);
  });

  it('reports the state of the pool, the caches of forms and tokens, and the listener', async () => {
    // A late notification of the new form may evict it between the two reads.
    await eventually('of two reads, the first is a miss and the second is a hit', async () => {
      const { client } = await newUser({ database, service });
      const { form } = await buildForm(database.dataSource);
      const before = await scrape();
      for (let read = 0; read < 2; read += 1) await client.get(`/api/v1/forms/${form.uuid}/schema`);
      const after = await scrape();
      return ['forms', 'tokens'].every((cache) =>
        ['formtrail_cache_hits_total', 'formtrail_cache_misses_total'].every(
          (counter) => valueOf(after, counter, { cache })! - valueOf(before, counter, { cache })! === 1,
        ),
      );
    });

    const samples = await scrape();
    for (const cache of ['forms', 'tokens'])
      expect(valueOf(samples, 'formtrail_cache_entries', { cache })).toBeGreaterThanOrEqual(1);
    expect(valueOf(samples, 'formtrail_cache_bytes')).toBeGreaterThan(100);
    expect(valueOf(samples, 'formtrail_changes_heard')).toBe(1);
    expect(valueOf(samples, 'formtrail_database_pool_size')).toBe(10);
    expect(valueOf(samples, 'formtrail_build_info', { version: '1.2.3' })).toBe(1);

    await asAnotherProgram(database.connection, async (program) => {
      await program.query('begin');
      await program.query('lock table forms');
      const lists = Array.from({ length: 13 }, () => service.anyone.get('/api/v1/forms'));
      await eventually('ten requests have a connection each, three wait for one', async () => {
        const crowded = await scrape();
        return (
          valueOf(crowded, 'formtrail_database_pool_connections', { state: 'in_use' }) === 10 &&
          valueOf(crowded, 'formtrail_database_pool_waiting') === 3
        );
      });
      await program.query('rollback');
      await Promise.all(lists);
    });
  });

  it('reports the number and the age of the keys of each identity provider', async () => {
    const name = 'formtrail_identity_provider_keys';
    const samples = await eventually('the keys are fetched', async () => {
      const found = await scrape();
      return valueOf(found, name, { issuer: provider.issuer }) === 1 && found;
    });
    const age = (issuer: string) => valueOf(samples, `${name}_age_seconds`, { issuer });
    expect(valueOf(samples, name, { issuer: awayProvider.issuer })).toBe(0);
    expect(age(provider.issuer)).toBeGreaterThanOrEqual(0);
    // The keys of this provider were never fetched, so its age begins with the service.
    expect(age(awayProvider.issuer)).toBeGreaterThan(age(provider.issuer)!);
    const later = await scrape();
    expect(valueOf(later, `${name}_age_seconds`, { issuer: awayProvider.issuer })).toBeGreaterThan(
      age(awayProvider.issuer)!,
    );
  });

  it('counts the requests that the rate limit allows and rejects', async () => {
    const { client } = await newUser({ database, service });
    const before = await scrape();
    for (const status of [200, 200, 429]) expect((await client.get('/api/v1/forms')).status).toBe(status);
    await service.anyone.get('/api/v1/nothing');

    const samples = await scrape();
    const more = (by: string, decision: string) => {
      const name = 'formtrail_rate_limit_decisions_total';
      return valueOf(samples, name, { by, decision })! - valueOf(before, name, { by, decision })!;
    };
    expect([more('user', 'allowed'), more('user', 'refused')]).toEqual([2, 1]);
    expect([more('address', 'allowed'), more('address', 'refused')]).toEqual([1, 0]);
    // Nothing listens at REDIS_URL, so the instance counts its own requests.
    expect(valueOf(samples, 'formtrail_rate_limit_shared')).toBe(0);

    const stranger = newClient(service.url, { Authorization: `Bearer ${'x'.repeat(40)}` });
    for (let at = 0; at < 3; at += 1) await stranger.get('/api/v1/forms');
    const refusedOne = await scrape();
    const since = (by: string, decision: string) => {
      const name = 'formtrail_rate_limit_decisions_total';
      return valueOf(refusedOne, name, { by, decision })! - valueOf(samples, name, { by, decision })!;
    };
    expect([since('invalid_token', 'allowed'), since('address', 'allowed')]).toEqual([3, 0]);
  });

  itOnOneServer(
    'counts attempts to deliver webhooks, pending deliveries and disabled endpoints',
    async () => {
      const { manager } = database.dataSource;
      await createWebhookEndpoint(manager, { url: 'https://a.example' }, KEY.toString('base64'));
      await database.dataSource.query(`update webhook_endpoints set disabled_reason = 'by hand'`);
      const { id } = await createWebhookEndpoint(
        manager,
        { url: 'http://127.0.0.1:1' },
        KEY.toString('base64'),
      );
      await database.dataSource.query(
        `insert into webhook_deliveries (endpoint_id, event, submission_uuid, body, next_attempt_at, created_at)
         values ($1, 'submission.deleted', gen_random_uuid(), '{}', now(), now() - interval '1 hour')`,
        [id],
      );
      const failed = async () => {
        const samples = await scrape();
        return valueOf(samples, 'formtrail_webhook_attempts_total', { outcome: 'failed' }) === 1 && samples;
      };
      const attempted = await eventually('an attempt', failed);
      expect(valueOf(attempted, 'formtrail_webhook_endpoints_disabled_total')).toBe(0);
      expect(valueOf(attempted, 'formtrail_webhook_undecryptable_endpoints')).toBe(0);
      const samples = await eventually(
        'a reading that is not older',
        async () => {
          const found = await scrape();
          // The delivery waits for its next attempt, so no delivery is due.
          const isDue = valueOf(found, 'formtrail_webhook_oldest_due_seconds') !== 0;
          return valueOf(found, 'formtrail_webhook_pending_deliveries') === 1 && !isDue && found;
        },
        AFTER_CACHED,
      );
      expect(valueOf(samples, 'formtrail_webhook_oldest_pending_seconds')).toBeGreaterThanOrEqual(3_600);
      expect(valueOf(samples, 'formtrail_webhook_disabled_endpoints')).toBe(1);
      expect(valueOf(samples, 'formtrail_webhook_outbox_events')).toBe(0);
    },
  );

  itOnOneServer('has all other metrics while the outbox cannot be read', async () => {
    await asAnotherProgram(database.connection, async (program) => {
      await program.query('begin');
      await program.query('lock table webhook_endpoints');
      const samples = await eventually(
        'a scrape without it',
        async () => {
          const found = await scrape();
          return valueOf(found, 'formtrail_webhook_outbox_events') === undefined && found;
        },
        AFTER_CACHED,
      );
      expect(valueOf(samples, 'formtrail_database_pool_size')).toBe(10);
      expect(valueOf(samples, 'formtrail_webhook_endpoints_disabled_total')).toBe(0);
      await program.query('rollback');
    });
    await eventually(
      'it again',
      async () => valueOf(await scrape(), 'formtrail_webhook_outbox_events') === 0,
      AFTER_CACHED,
    );
  });

  it('counts the executions of each statement, with their duration, under its name', async () => {
    const { client } = await newUser({ database, service });
    const { form } = await buildForm(database.dataSource);
    const named = (samples: readonly Sample[], name: string) =>
      valueOf(samples, name, { statement: 'forms.by_uuid' }) ?? 0;
    const before = await scrape();
    // Both requests query the database, because the service does not cache that a form does not exist.
    for (let at = 0; at < 2; at += 1)
      await client.get(`/api/v1/forms/${form.uuid.replace(/^.{8}/, '00000000')}`);

    const samples = await scrape();
    const more = (name: string) => named(samples, name) - named(before, name);
    expect(more('formtrail_statements_total')).toBe(2);
    expect(more('formtrail_statement_seconds_total')).toBeGreaterThan(0);
    expect(more('formtrail_statement_seconds_total')).toBeLessThan(60);
    const known = await namesOfStatements();
    expect(known.size).toBeGreaterThan(40);
    const labels = samples.flatMap(({ labels: { statement } }) => statement ?? []);
    expect(new Set(labels).size).toBeGreaterThan(2);
    expect(labels.filter((name) => !known.has(name.replace(/\.on_shards$/, '')))).toEqual([]);
  });

  it('reports how full the pool is, including waiting callers', async () => {
    const saturation = async () => valueOf(await scrape(), 'formtrail_database_pool_saturation');
    await eventually('an idle pool', async () => ((await saturation()) ?? 1) <= 0.1);
    await asAnotherProgram(database.connection, async (program) => {
      await program.query('begin');
      await program.query('lock table forms');
      const lists = Array.from({ length: 12 }, () => service.anyone.get('/api/v1/forms'));
      await eventually('twelve for ten connections', async () => ((await saturation()) ?? 0) >= 1.2);
      await program.query('rollback');
      await Promise.all(lists);
    });
  });

  it('counts rules of fields that were skipped because they cannot be applied (J5)', async () => {
    const built = await buildForm(database.dataSource, {
      form: { completion: 'strict' },
      steps: [
        {
          a: { rules: { pattern: '(?=', max_length: '9' } },
          b: { type: 'number', rules: { min: '2', max: '1' } },
        },
      ],
    });
    const counts = async () => {
      const samples = await scrape();
      const of = (kind: string) => valueOf(samples, 'formtrail_field_rules_left_out_total', { kind });
      return [of('pattern'), of('max_length'), of('min'), of('max')];
    };
    expect(await counts()).toEqual([0, 0, 0, 0]);
    const { client } = await newUser({ database, service });
    const { uuid, path } = await createDraft(client, built);
    // Insert with SQL instead of a request, because the limit of a user is two requests.
    await database.dataSource.query(
      `insert into submission_values (submission_uuid, form_id, field_id, is_repeatable, value)
       select $1, form_id, id, false, '5' from fields where form_id = $2`,
      [uuid, built.form.id],
    );

    expect((await client.patch(path, { status: 'completed' })).status).toBe(200);

    expect(await counts()).toEqual([1, 0, 1, 1]);
  });

  itOnOneServer('reports users who have stored something and are near the limit (V9)', async () => {
    const near = async (kind: string) =>
      valueOf(await scrape(), 'formtrail_users_near_storage_limit', { kind });
    const built = await buildForm(database.dataSource, { steps: [{ name: {} }] });
    const { client, id } = await newUser({ database, service });
    const { path } = await createDraft(client, built);
    expect([await near('text'), await near('files')]).toEqual([0, 0]);
    await database.dataSource.query(
      'insert into user_storage (user_id, text_bytes) values ($1, 0.81 * 64 * 1048576)',
      [id],
    );
    const stored = await client.post(`${path}/values`, { values: [{ field_code: 'name', value: 'Ada' }] });
    expect(stored.status).toBe(200);
    expect([await near('text'), await near('files')]).toEqual([1, 0]);
  });

  it('has a liveness probe on its port that reads no metrics', async () => {
    const read = jest.spyOn(metrics.metrics.registry, 'metrics');
    const response = await fetch(new URL('/health/live', metrics.url));
    expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }]);
    expect(read).not.toHaveBeenCalled();
  });

  it('is the only path on its port beside the probe, and is not on the port of the service', async () => {
    for (const [method, path] of [
      ['GET', '/'],
      ['GET', '/metrics/'],
      ['POST', '/metrics'],
      ['GET', '/api/v1/forms'],
    ] as const) {
      const response = await fetch(new URL(path, metrics.url), { method });
      expect({ path, status: response.status }).toEqual({ path, status: 404 });
      expect(await response.json()).toEqual({ message: expect.stringContaining('GET /metrics') });
    }
    expect((await fetch(metrics.url, { method: 'HEAD' })).status).toBe(200);
    expect((await service.anyone.get('/metrics')).status).toBe(404);
  });

  it('fails no request if measuring fails, and is 500 if reading fails', async () => {
    const { registry } = metrics.metrics;
    const requests = registry.getSingleMetric('http_request_duration_seconds') as Histogram;
    const before = valueOf(await scrape(), REQUESTS);
    const observe = jest.spyOn(requests, 'observe').mockImplementation(() => {
      throw new Error('measuring is broken');
    });
    expect((await service.anyone.get('/api/v1/forms')).status).toBe(200);
    await eventually('it was not measured', () => observe.mock.results.length === 1);
    expect(valueOf(await scrape(), REQUESTS)).toBe(before);

    jest.spyOn(registry, 'metrics').mockRejectedValue(new Error('reading is broken'));
    const response = await fetch(metrics.url);
    expect([response.status, await response.json()]).toEqual([
      500,
      { message: 'The metrics cannot be read: reading is broken' },
    ]);
    expect((await service.anyone.get('/api/v1/forms')).status).toBe(200);
  });
});

describe('dashboard and alerts', () => {
  const read = (file: string) => readFile(path.resolve(__dirname, '../deploy', file), 'utf8');

  /** The names of metrics in PromQL expressions. */
  const namesIn = (expressions: readonly string[]) => [
    ...new Set(
      expressions.flatMap((text) => text.match(/\b(http|formtrail|process|nodejs)_\w+(?![\w:])/g) ?? []),
    ),
  ];

  /** A row of the table names its first metric in full. It may name its other metrics only by their suffix. */
  const isInTable = (table: string, name: string) =>
    [...table.matchAll(/^\| (`[^|]*) \|/gm)].some(([, cell = '']) => {
      const [first = '', ...others] = [...cell.matchAll(/`(\w+)`/g)].map(([, one]) => one!);
      const known = others.map((other) => (other.startsWith('_') ? other : undefined));
      return (
        first === name ||
        others.includes(name) ||
        known.some(
          (end) => end !== undefined && name.endsWith(end) && first.startsWith(name.slice(0, -end.length)),
        )
      );
    });

  async function expectExported(names: readonly string[]) {
    await database.dataSource.query('insert into backups default values on conflict do nothing');
    await service.anyone.get('/api/v1/forms');
    // The metrics of the outbox exist only if there is an endpoint.
    await createWebhookEndpoint(
      database.dataSource.manager,
      { url: 'https://a.example' },
      KEY.toString('base64'),
    );
    const missing = async () => {
      const exported = new Set((await scrape()).map(({ name }) => name));
      return names.filter((name) => !exported.has(name));
    };
    await eventually('the outbox', async () => (await missing()).length === 0, AFTER_CACHED).catch(
      () => undefined,
    );
    expect(await missing()).toEqual([]);
  }

  // Skipped with Citus, which has no files and webhooks and therefore lacks their metrics.
  itOnOneServer('every panel of the dashboard queries metrics that the service exports', async () => {
    const { panels } = JSON.parse(await read('grafana/dashboard.json')) as {
      panels: { title: string; type: string; targets?: { expr: string }[] }[];
    };
    const charts = panels.filter(({ type }) => type !== 'row');
    for (const { title, targets = [] } of charts) {
      for (const { expr } of targets) expect([title, namesIn([expr])]).not.toEqual([title, []]);
    }
    const names = namesIn(charts.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)));
    expect(names.length).toBeGreaterThan(10);
    await expectExported(names);
  });

  itOnOneServer('every alert queries metrics that the service exports, and is in the runbook', async () => {
    const rules = (await read('prometheus/alerts.yaml')).replace(/^\s*#.*$/gm, '');
    const names = namesIn([rules]);
    expect(names.length).toBeGreaterThan(5);
    await expectExported(names);

    const runbook = await readFile(path.resolve(__dirname, '../docs/operations.md'), 'utf8');
    const alerts = [...rules.matchAll(/alert: (\w+)/g)].map(([, name]) => name);
    const table = /^## Metrics$[\s\S]*?^## /m.exec(runbook)?.[0] ?? '';
    const exported = new Set(
      (await scrape()).map(({ name }) => name).filter((name) => name.startsWith('formtrail_')),
    );
    expect([...exported].filter((name) => !isInTable(table, name))).toEqual([]);

    const explained = [...runbook.matchAll(/^### (Formtrail\w+)$/gm)].map(([, name]) => name);
    expect(explained).toEqual(alerts);
  });
});
