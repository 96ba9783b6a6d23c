import type { INestApplicationContext } from '@nestjs/common';
import { getStorageToken } from '@nestjs/throttler';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { TokensService } from '../auth/tokens.service.js';
import { Environment } from '../config/environment.js';
import { ChangeListener } from '../database/change-listener.js';
import { Database } from '../database/database.js';
import { FileWorker } from '../files/file-worker.js';
import { GuardedStorage } from '../files/storage/guarded-storage.js';
import { PublishedFormsService } from '../forms/published-forms.service.js';
import { Lifecycle } from '../health/lifecycle.js';
import { RateLimitGuard } from '../http/rate-limit.guard.js';
import { RedisWindowStorage } from '../http/rate-limit.redis.js';
import { routeOf } from '../http/unknown-route.js';
import { CompletionService } from '../submissions/completion/completion.service.js';
import type { Webhooks } from '../webhooks/start-webhooks.js';
import { watchLastBackup } from './last-backup.js';

/** Seconds; 0.25 is the objective of docs/operations.md, so that it can be read without interpolation. */
const DURATIONS = [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

type Readings = readonly (readonly [labels: Record<string, string>, value: number])[];
type Read = () => Readings | Promise<Readings>;

/**
 * What the service tells of itself, for Prometheus. Requests are measured as they are answered; everything else is read
 * when somebody asks.
 */
export class Metrics {
  readonly registry = new Registry();
  private readonly requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'How long requests took, from their head to the last byte of the answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: DURATIONS,
    registers: [this.registry],
  });

  constructor(version: string) {
    collectDefaultMetrics({ register: this.registry });
    // Gauges with the suffix of counters; the same is told by type without them.
    for (const what of ['handles', 'requests', 'resources']) {
      this.registry.removeSingleMetric(`nodejs_active_${what}_total`);
    }
    this.gauge('formtrail_build_info', 'Always 1; the labels say what runs.', ['version', 'node'], () => [
      [{ version, node: process.versions.node }, 1],
    ]);
  }

  /** Measures an application's requests and reads its parts; before its routes are made. */
  watch(app: INestApplicationContext, fastify: FastifyInstance): void {
    fastify.addHook('onResponse', (request, reply, done) => {
      this.requests.observe(labelsOf(request, reply.statusCode), reply.elapsedTime / 1000);
      done();
    });
    this.readDatabase(app.get(Database));
    this.readMemories(app.get(PublishedFormsService), app.get(TokensService));
    const listener = app.get(ChangeListener);
    this.gauge(
      'formtrail_changes_heard',
      '1 while changes of forms and tokens are heard, else 0.',
      [],
      () => [[{}, Number(listener.hearing)]],
    );
    const lifecycle = app.get(Lifecycle);
    this.gauge(
      'formtrail_stopping',
      '1 from SIGTERM or SIGINT on, while requests are drained; else 0.',
      [],
      () => [[{}, Number(lifecycle.isStopping)]],
    );
    const { decisions } = app.get(RateLimitGuard);
    this.counter(
      'formtrail_rate_limit_decisions_total',
      'Requests that the rate limit counted.',
      ['by', 'decision'],
      () =>
        Object.entries(decisions).flatMap(([by, counts]) =>
          Object.entries(counts).map(([decision, count]) => [{ by, decision }, count] as const),
        ),
    );
    const { rulesLeftOut } = app.get(CompletionService);
    this.counter(
      'formtrail_field_rules_left_out_total',
      'Rules of fields that could not be applied when a value was judged.',
      ['kind'],
      () => Object.entries(rulesLeftOut).map(([kind, count]) => [{ kind }, count] as const),
    );
    if (app.get(Environment).filesUrl !== undefined)
      this.readFiles(app.get(FileWorker), app.get(GuardedStorage));
    const storage = app.get<unknown>(getStorageToken());
    if (storage instanceof RedisWindowStorage) {
      this.gauge(
        'formtrail_rate_limit_shared',
        '1 while requests of all instances are counted together, in Redis, else 0.',
        [],
        () => [[{}, Number(storage.connected)]],
      );
    }
    watchLastBackup(this.registry, app.get(Database));
  }

  watchWebhooks({ deliveries, outbox }: Webhooks): void {
    this.counter('formtrail_webhook_attempts_total', 'Attempts to deliver a webhook.', ['outcome'], () =>
      Object.entries(deliveries.counts).map(([outcome, count]) => [{ outcome }, count] as const),
    );
    this.counter(
      'formtrail_webhook_endpoints_disabled_total',
      'Endpoints that were disabled because they had no success, or were gone.',
      [],
      () => [[{}, deliveries.disabledEndpoints]],
    );
    this.gauge(
      'formtrail_webhook_oldest_pending_seconds',
      'How long ago it happened, what waits longest to be delivered.',
      [],
      async () => [[{}, (await outbox()).oldest_pending_seconds]],
    );
    this.gauge(
      'formtrail_webhook_disabled_endpoints',
      'Endpoints that are told of nothing.',
      [],
      async () => [[{}, (await outbox()).disabled_endpoints]],
    );
  }

  private readDatabase(database: Database): void {
    this.gauge('formtrail_database_pool_size', 'How many connections there may be.', [], () => [
      [{}, database.connections.size],
    ]);
    this.gauge('formtrail_database_pool_connections', 'Open connections.', ['state'], () => [
      [{ state: 'in_use' }, database.connections.inUse],
      [{ state: 'idle' }, database.connections.idle],
    ]);
    this.gauge('formtrail_database_pool_waiting', 'How many callers wait for a connection.', [], () => [
      [{}, database.connections.waiting],
    ]);
  }

  private readFiles(worker: FileWorker, storage: GuardedStorage): void {
    this.counter(
      'formtrail_file_work_total',
      'Files whose bytes were deleted, that expired, or that were scanned; and work that failed.',
      ['result'],
      () => Object.entries(worker.counts).map(([result, count]) => [{ result }, count] as const),
    );
    this.gauge('formtrail_file_deletion_lag_seconds', 'How late the deletion of bytes is.', [], () => [
      [{}, worker.late.seconds],
    ]);
    this.counter(
      'formtrail_file_storage_failures_total',
      'Requests that the storage of files failed, or was too slow for.',
      [],
      () => [[{}, storage.failures]],
    );
  }

  private readMemories(forms: PublishedFormsService, tokens: TokensService): void {
    const memories = Object.entries({ forms: forms.memory, tokens: tokens.memory });
    const each = (name: 'hits' | 'misses' | 'entries') => () =>
      memories.map(([cache, memory]) => [{ cache }, memory.usage[name]] as const);
    this.counter('formtrail_cache_hits_total', 'Look-ups answered from memory.', ['cache'], each('hits'));
    this.counter(
      'formtrail_cache_misses_total',
      'Look-ups that memory could not answer.',
      ['cache'],
      each('misses'),
    );
    this.gauge('formtrail_cache_entries', 'What is in memory.', ['cache'], each('entries'));
    this.gauge('formtrail_cache_bytes', 'The memory of published forms, roughly.', ['cache'], () => [
      [{ cache: 'forms' }, forms.memory.usage.size],
    ]);
  }

  private gauge(name: string, help: string, labelNames: string[], read: Read): void {
    new Gauge({
      name,
      help,
      labelNames,
      registers: [this.registry],
      async collect() {
        for (const [labels, value] of await read()) this.set(labels, value);
      },
    });
  }

  private counter(name: string, help: string, labelNames: string[], read: () => Readings): void {
    new Counter({
      name,
      help,
      labelNames,
      registers: [this.registry],
      collect() {
        this.reset();
        for (const [labels, value] of read()) this.inc(labels, value);
      },
    });
  }
}

/** Bounded, whatever clients send: the route is a pattern and never a path. */
function labelsOf(request: FastifyRequest, status: number) {
  const { method } = request;
  return {
    method: METHODS.has(method) ? method : 'other',
    route: routeOf(request) ?? 'unknown',
    status,
  };
}
