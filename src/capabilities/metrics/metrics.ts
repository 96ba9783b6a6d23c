import type { ModuleRef } from '@nestjs/core';
import type { Type } from '@nestjs/common';
import { getStorageToken } from '@nestjs/throttler';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { JWT_USERS, type JwtUsers, type KeysOfIssuer } from '../identities/jwt-users.js';
import { TokensService } from '../../auth/tokens.service.js';
import { Environment } from '../../config/environment.js';
import { ChangeListener } from '../../database/change-listener.js';
import { Database } from '../../database/database.js';
import { COUNT_WAITING_WORK } from '../files/file.statements.js';
import { FileWorker } from '../files/file-worker.js';
import { StorageGateway } from '../files/storage/storage-gateway.js';
import { PublishedFormsService } from '../../forms/published-forms.service.js';
import { Lifecycle } from '../../server/health/lifecycle.js';
import { RespondentsService } from '../respondents/respondents.service.js';
import { AddressLimitGuard } from '../respondents/address-limit.guard.js';
import { RateLimitGuard } from '../../throttling/rate-limit.guard.js';
import { RedisWindowStorage } from '../../throttling/rate-limit.redis.js';
import { routeOf } from '../../http/errors/unknown-route.js';
import { CompletionService } from '../../submissions/completion/completion.service.js';
import { KINDS, UserStorageService } from '../../submissions/values/user-storage.service.js';
import type { OutboxState, Webhooks } from '../webhooks/webhooks.service.js';
import { CachedReading } from './cached-reading.js';
import { exportDatabase, readingOf } from './database-metrics.js';
import { exporterTo } from './exporter.js';
import { exportOutbox, FIND_OUTBOX_STATE } from '../webhooks/webhook-metrics.js';

/**
 * Buckets in seconds. The objective in docs/operations.md is 0.25, so this bucket exists and the objective needs no
 * interpolation.
 */
const DURATIONS = [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * The metrics of a process, for Prometheus. Requests are measured when their responses are sent. All other metrics are read for
 * each scrape.
 */
export class Metrics {
  readonly registry = new Registry();
  private readonly requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Duration of requests in seconds, from the request headers to the last byte of the response.',
    labelNames: ['method', 'route', 'status'],
    buckets: DURATIONS,
    registers: [this.registry],
  });
  private readonly export = exporterTo(this.registry);

  constructor(version: string) {
    collectDefaultMetrics({ register: this.registry });
    // Removes gauges that have the suffix of counters, `_total`. Other metrics export the same values by type.
    for (const what of ['handles', 'requests', 'resources'])
      this.registry.removeSingleMetric(`nodejs_active_${what}_total`);
    this.export('formtrail_build_info', () => ({ [version]: { [process.versions.node]: 1 } }));
  }

  /** Measures an application's requests, and exports metrics of its providers. */
  watch(modules: ModuleRef, fastify: FastifyInstance): void {
    const app = { get: <T>(provider: Type<T> | symbol) => modules.get<T>(provider, { strict: false }) };
    fastify.addHook('onResponse', (request, reply, done) => {
      this.requests.observe(labelsOf(request, reply.statusCode), reply.elapsedTime / 1000);
      done();
    });
    const database = app.get(Database);
    exportDatabase(this.export, database);
    exportOutbox(this.export, readingOf(database, FIND_OUTBOX_STATE));
    this.exportCaches(app.get(PublishedFormsService), app.get(TokensService));
    const listener = app.get(ChangeListener);
    this.export('formtrail_changes_heard', () => Number(listener.hearing));
    const lifecycle = app.get(Lifecycle);
    this.export('formtrail_stopping', () => Number(lifecycle.isStopping));
    const { decisions } = app.get(RateLimitGuard);
    this.export('formtrail_rate_limit_decisions_total', () => decisions);
    const { rulesLeftOut } = app.get(CompletionService);
    this.export('formtrail_field_rules_left_out_total', () => rulesLeftOut);
    const userStorage = app.get(UserStorageService);
    this.export('formtrail_users_near_storage_limit', () =>
      Object.fromEntries(KINDS.map((kind) => [kind, userStorage.near(kind)])),
    );
    this.exportRespondents(app.get(RespondentsService), app.get(AddressLimitGuard));
    const { filesUrl, clamdUrl, jwtIssuers } = app.get(Environment);
    if (jwtIssuers.length > 0) this.exportIdentityProviders(app.get<JwtUsers>(JWT_USERS));
    if (filesUrl !== undefined) {
      const waiting = readingOf(database, COUNT_WAITING_WORK);
      this.exportFiles(app.get(FileWorker), app.get(StorageGateway), waiting, clamdUrl !== undefined);
    }
    const storage = app.get<unknown>(getStorageToken());
    if (storage instanceof RedisWindowStorage)
      this.export('formtrail_rate_limit_shared', () => Number(storage.connected));
  }

  /** Measures the webhooks that this process delivers. */
  watchWebhooks({ deliveries, undecryptable }: Webhooks): void {
    this.export('formtrail_webhook_attempts_total', () => deliveries.counts);
    this.export('formtrail_webhook_endpoints_disabled_total', () => deliveries.disabledEndpoints);
    this.export('formtrail_webhook_undecryptable_endpoints', () => undecryptable.count);
  }

  /** Exports metrics of pending webhooks, for a process that delivers webhooks and serves no requests. */
  watchOutbox(query: () => Promise<OutboxState | undefined>): void {
    exportOutbox(this.export, new CachedReading(query));
  }

  private exportCaches(forms: PublishedFormsService, tokens: TokensService): void {
    const each = (count: 'hits' | 'misses' | 'entries') => () => ({
      forms: forms.cache.usage[count],
      tokens: tokens.cache.usage[count],
    });
    this.export('formtrail_cache_hits_total', each('hits'));
    this.export('formtrail_cache_misses_total', each('misses'));
    this.export('formtrail_cache_entries', each('entries'));
    this.export('formtrail_cache_bytes', () => ({ forms: forms.cache.usage.size }));
  }

  private exportRespondents({ counts }: RespondentsService, { refused }: AddressLimitGuard): void {
    this.export('formtrail_respondents_total', () => ({ created: counts.created, resumed: counts.resumed }));
    this.export('formtrail_respondents_refused_total', () => {
      return { ...counts.refused, limit: refused.respondents, resume_limit: refused.resume };
    });
  }

  private exportIdentityProviders(users: JwtUsers): void {
    const each = (of: (keys: KeysOfIssuer) => number) => () =>
      Object.fromEntries(users.keys().map((keys) => [keys.issuer, of(keys)]));
    this.export(
      'formtrail_identity_provider_keys',
      each(({ count }) => count),
    );
    this.export(
      'formtrail_identity_provider_keys_age_seconds',
      each(({ age }) => age),
    );
  }

  private exportFiles(
    worker: FileWorker,
    storage: StorageGateway,
    waiting: CachedReading<{ readonly deletion: number; readonly scan: number }>,
    isScanned: boolean,
  ): void {
    this.export('formtrail_file_work_total', () => worker.counts);
    this.export('formtrail_file_work_waiting', async () => {
      const counts = await waiting.read();
      return counts && { deletion: counts.deletion, scan: isScanned ? counts.scan : undefined };
    });
    this.export('formtrail_file_deletion_lag_seconds', () => worker.late.seconds);
    this.export('formtrail_file_storage_failures_total', () => storage.failures);
  }
}

/** Returns the labels of a request. Clients cannot add series, because the route is a pattern and never a path. */
function labelsOf(request: FastifyRequest, status: number) {
  const { method } = request;
  return { method: METHODS.has(method) ? method : 'other', route: routeOf(request) ?? 'unknown', status };
}
