import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { createWebhookEndpoint } from '../src/entities.js';
import { client as newClient } from './support/client.js';
import { createDraft } from './support/drafts.js';
import { eventually } from './support/eventually.js';
import { buildForm } from './support/forms.js';
import { acceptingTokensOf, type IdentityProvider, identityProvider } from './support/identity-provider.js';
import { itOnOneServer } from './support/it-on-one-server.js';
import { sendHttp } from './support/raw.js';
import { newUser, type Service, startService } from './support/service.js';
import { testDatabase, type TestDatabase } from './support/test-database.js';
import { asAnotherProgram } from './support/test-server.js';
import { packageVersion } from '../src/server/package-version.js';

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

let database: TestDatabase;
let service: Service;
let metricsUrl: string;
let provider: IdentityProvider;
let awayProvider: IdentityProvider;

beforeAll(async () => {
  database = await testDatabase();
  [provider, awayProvider] = await Promise.all([identityProvider(), identityProvider()]);
  provider.otherKeys = [{ kty: 'RSA', kid: 'unusable' }];
  awayProvider.isAway = true;
  const limits = { THROTTLE_LIMIT: '10000', THROTTLE_USER_LIMIT: '2' };
  service = await startService(
    database,
    { ...acceptingTokensOf(provider, awayProvider), ...limits },
    undefined,
    // Nothing listens there, so the instance counts its own requests.
    { hasMetrics: true, redisUrl: 'redis://127.0.0.1:1' },
  );
  metricsUrl = await service.metricsUrl();
});
afterAll(async () => {
  await service.close();
  await Promise.all([provider.close(), awayProvider.close()]);
  await database.close();
});

/** Returns every sample of the metrics. Throws if a line is not a sample, HELP or TYPE. */
async function scrape(): Promise<Sample[]> {
  const response = await fetch(metricsUrl);
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

/** Returns by how much the values of samples grow during `work`, and the samples after it. */
async function growthDuring(work: () => Promise<unknown>) {
  const before = await scrape();
  await work();
  const after = await scrape();
  const growth = (name: string, labels: Record<string, string> = {}) =>
    (valueOf(after, name, labels) ?? 0) - (valueOf(before, name, labels) ?? 0);
  return { growth, after };
}

const REQUESTS = 'http_request_duration_seconds_count';
const DECISIONS = 'formtrail_rate_limit_decisions_total';

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
  // First, because some results of queries are cached for seconds after the first scrape.
  itOnOneServer('reports the outbox of webhooks, and when the last backup began', async () => {
    const { manager } = database.dataSource;
    const endpoints = [0, 1].map(() =>
      createWebhookEndpoint(manager, { url: 'https://a.example' }, Buffer.alloc(32).toString('base64')),
    );
    const [{ id }, { id: disabled }] = await Promise.all(
      endpoints as [(typeof endpoints)[0], (typeof endpoints)[0]],
    );
    await manager.query(`update webhook_endpoints set disabled_reason = 'by hand' where id = $1`, [disabled]);
    await manager.query(
      `insert into webhook_deliveries (endpoint_id, event, submission_uuid, body, next_attempt_at, created_at)
       values ($1, 'submission.deleted', gen_random_uuid(), '{}', now() + interval '1 hour', now() - interval '1 hour')`,
      [id],
    );
    await manager.query(`insert into backups (taken_at) values ('2026-01-02T03:04:05.5Z')`);
    const samples = await eventually('the outbox', async () => {
      const found = await scrape();
      return valueOf(found, 'formtrail_webhook_pending_deliveries') !== undefined && found;
    });
    const outbox = (name: string) => valueOf(samples, `formtrail_webhook_${name}`);
    expect([outbox('outbox_events'), outbox('pending_deliveries'), outbox('disabled_endpoints')]).toEqual([
      0, 1, 1,
    ]);
    expect(outbox('oldest_pending_seconds')).toBeGreaterThanOrEqual(3_600);
    // The delivery waits for its next attempt, so no delivery is due.
    expect(outbox('oldest_due_seconds')).toBe(0);
    expect(valueOf(samples, 'formtrail_last_backup_timestamp_seconds')).toBe(1_767_323_045.5);
  });

  it('counts each request under the pattern of its route, with its duration', async () => {
    const { uuid } = (await buildForm(database.dataSource)).form;
    const { growth } = await growthDuring(async () => {
      for (const path of [`/api/v1/forms/${uuid}`, `/api/v1/forms/${uuid.toUpperCase()}`])
        expect((await service.anyone.get(path)).status).toBe(200);
      expect((await service.anyone.get('/api/v1/forms/none')).status).toBe(404);
      expect((await service.anyone.post('/api/v1/submissions', {})).status).toBe(401);
    });
    const form = { method: 'GET', route: '/api/v1/forms/:uuid' };
    expect(growth(REQUESTS, { ...form, status: '200' })).toBe(2);
    expect(growth(REQUESTS, { ...form, status: '404' })).toBe(1);
    expect(growth(REQUESTS, { method: 'POST', route: '/api/v1/submissions', status: '401' })).toBe(1);
    const took = growth('http_request_duration_seconds_sum', { ...form, status: '200' });
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
        ['DELETE', `/api/v1/submissions/${round}`],
        ['OPTIONS', path],
      ] as const) {
        await sendHttp(service.url, encodeURI(target), { method, headers: { Host: `${round}.example.org` } });
      }
    };
    const series = async () => {
      const own = (await scrape()).filter(({ name }) => /^(http|formtrail)_/.test(name));
      return new Set(own.map(({ name, labels }) => `${name} ${JSON.stringify(labels)}`));
    };
    await attack(0);
    const before = await series();
    for (let round = 1; round <= 10; round += 1) await attack(round);
    expect(await series()).toEqual(before);
    const unknown = valueOf(await scrape(), REQUESTS, { method: 'other', route: 'unknown' });
    expect(unknown).toBeGreaterThanOrEqual(11);
  });

  it('reports the state of the caches of forms and tokens, and of the listener', async () => {
    // A late notification of the new form may evict it between the two reads.
    await eventually('of two reads, the first is a miss and the second is a hit', async () => {
      const { client } = await newUser({ database, service });
      const { form } = await buildForm(database.dataSource);
      const { growth } = await growthDuring(async () => {
        for (let read = 0; read < 2; read += 1) await client.get(`/api/v1/forms/${form.uuid}/schema`);
      });
      return ['forms', 'tokens'].every((cache) =>
        ['hits', 'misses'].every((what) => growth(`formtrail_cache_${what}_total`, { cache }) === 1),
      );
    });
    const samples = await scrape();
    for (const cache of ['forms', 'tokens'])
      expect(valueOf(samples, 'formtrail_cache_entries', { cache })).toBeGreaterThanOrEqual(1);
    expect(valueOf(samples, 'formtrail_cache_bytes')).toBeGreaterThan(100);
    expect(valueOf(samples, 'formtrail_listener_connected')).toBe(1);
    expect(valueOf(samples, 'formtrail_stopping')).toBe(0);
    expect(valueOf(samples, 'formtrail_build_info', { version: packageVersion('.') })).toBe(1);
  });

  it('reports how full the pool is, including waiting callers', async () => {
    const pool = async () => {
      const samples = await scrape();
      return {
        size: valueOf(samples, 'formtrail_database_pool_size'),
        in_use: valueOf(samples, 'formtrail_database_pool_connections', { state: 'in_use' }),
        waiting: valueOf(samples, 'formtrail_database_pool_waiting'),
        saturation: valueOf(samples, 'formtrail_database_pool_saturation'),
      };
    };
    await eventually('an idle pool', async () => ((await pool()).saturation ?? 1) <= 0.1);
    await asAnotherProgram(database.connection, async (program) => {
      await program.query('begin; lock table forms');
      const lists = Array.from({ length: 13 }, () => service.anyone.get('/api/v1/forms'));
      const crowded = await eventually('three requests wait for a connection', async () => {
        const state = await pool();
        return state.waiting === 3 && state;
      });
      expect(crowded).toEqual({ size: 10, in_use: 10, waiting: 3, saturation: 1.3 });
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
    const age = (issuer: string) => valueOf(samples, `${name}_age_seconds`, { issuer })!;
    expect(valueOf(samples, name, { issuer: awayProvider.issuer })).toBe(0);
    expect(age(provider.issuer)).toBeGreaterThanOrEqual(0);
    // The keys of this provider were never fetched, so its age begins with the service.
    expect(age(awayProvider.issuer)).toBeGreaterThan(age(provider.issuer));
  });

  it('counts the requests that the rate limit allows and rejects', async () => {
    const { client } = await newUser({ database, service });
    const of = ({ growth }: Awaited<ReturnType<typeof growthDuring>>, by: string) =>
      ['allowed', 'rejected'].map((decision) => growth(DECISIONS, { by, decision }));
    const valid = await growthDuring(async () => {
      for (const status of [200, 200, 429]) expect((await client.get('/api/v1/forms')).status).toBe(status);
      await service.anyone.get('/api/v1/nothing');
    });
    expect([of(valid, 'user'), of(valid, 'address')]).toEqual([
      [2, 1],
      [1, 0],
    ]);
    expect(valueOf(valid.after, 'formtrail_rate_limit_shared')).toBe(0);

    const stranger = newClient(service.url, { Authorization: `Bearer ${'x'.repeat(40)}` });
    const invalid = await growthDuring(async () => {
      for (let at = 0; at < 3; at += 1) await stranger.get('/api/v1/forms');
    });
    expect([of(invalid, 'invalid_token'), of(invalid, 'address')]).toEqual([
      [3, 0],
      [0, 0],
    ]);
  });

  it('counts the executions of each statement, with their duration, under its name', async () => {
    const { client } = await newUser({ database, service });
    const { uuid } = (await buildForm(database.dataSource)).form;
    const { growth, after } = await growthDuring(async () => {
      // Both requests query the database, because the service does not cache that a form does not exist.
      for (let at = 0; at < 2; at += 1)
        await client.get(`/api/v1/forms/${uuid.replace(/^.{8}/, '00000000')}`);
    });
    const statement = { statement: 'forms.by_uuid' };
    expect(growth('formtrail_statements_total', statement)).toBe(2);
    expect(growth('formtrail_statement_seconds_total', statement)).toBeGreaterThan(0);
    expect(growth('formtrail_statement_seconds_total', statement)).toBeLessThan(60);
    const known = await namesOfStatements();
    const labels = after.flatMap(({ labels: { statement: name } }) => name ?? []);
    expect(new Set(labels).size).toBeGreaterThan(2);
    expect(labels.filter((name) => !known.has(name.replace(/\.on_shard$/, '')))).toEqual([]);
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
    const { client } = await newUser({ database, service });
    const { uuid, path } = await createDraft(client, built);
    // Insert with SQL instead of a request, because the limit of a user is two requests.
    await database.dataSource.query(
      `insert into submission_values (submission_uuid, form_id, field_id, is_repeatable, value)
       select $1, form_id, id, false, '5' from fields where form_id = $2`,
      [uuid, built.form.id],
    );
    const { growth } = await growthDuring(async () => {
      expect((await client.patch(path, { status: 'completed' })).status).toBe(200);
    });
    const counts = ['pattern', 'max_length', 'min', 'max'].map((kind) =>
      growth('formtrail_field_rules_left_out_total', { kind }),
    );
    expect(counts).toEqual([1, 0, 1, 1]);
  });

  itOnOneServer('reports users who have stored something and are near the limit (V9)', async () => {
    const built = await buildForm(database.dataSource, { steps: [{ name: {} }] });
    const { client, id } = await newUser({ database, service });
    const { path } = await createDraft(client, built);
    await database.dataSource.query(
      'insert into user_storage (user_id, text_bytes) values ($1, 0.81 * 64 * 1048576)',
      [id],
    );
    const { growth } = await growthDuring(async () => {
      const values = [{ field_code: 'name', value: 'Ada' }];
      expect((await client.post(`${path}/values`, { values })).status).toBe(200);
    });
    const near = (kind: string) => growth('formtrail_users_near_storage_limit', { kind });
    expect([near('text'), near('files')]).toEqual([1, 0]);
  });

  it('is the only path on its port beside the probe, and is not on the port of the service', async () => {
    for (const [method, path] of [
      ['GET', '/'],
      ['GET', '/metrics/'],
      ['POST', '/metrics'],
      ['GET', '/api/v1/forms'],
    ] as const) {
      const response = await fetch(new URL(path, metricsUrl), { method });
      expect({ path, status: response.status }).toEqual({ path, status: 404 });
      expect(await response.json()).toEqual({ message: expect.stringContaining('GET /metrics') });
    }
    expect((await fetch(metricsUrl, { method: 'HEAD' })).status).toBe(200);
    expect((await service.anyone.get('/metrics')).status).toBe(404);
  });

  // Last, because the metrics stay unreadable.
  it('is 500 if reading fails, which neither requests nor the liveness probe need', async () => {
    await service.failToReadMetrics();
    const response = await fetch(metricsUrl);
    const message = 'The metrics cannot be read: reading is broken';
    expect([response.status, await response.json()]).toEqual([500, { message }]);
    const probe = await fetch(new URL('/health/live', metricsUrl));
    expect([probe.status, await probe.json()]).toEqual([200, { status: 'ok' }]);
    expect((await service.anyone.get('/api/v1/forms')).status).toBe(200);
  });
});
