import type { ModuleRef } from '@nestjs/core';
import { getStorageToken } from '@nestjs/throttler';
import { TokensService } from '../../auth/tokens.service.js';
import { ChangeListener } from '../../database/change-listener.js';
import { Database } from '../../database/database.js';
import { StatementTimes } from '../../database/statement-times.js';
import { PublishedFormsService } from '../../forms/published-forms.service.js';
import type { Measurements } from '../../process/measurements.js';
import { Lifecycle } from '../../server/health/lifecycle.js';
import { CompletionService } from '../../submissions/completion/completion.service.js';
import { UserStorageService } from '../../submissions/values/user-storage.service.js';
import { RateLimitGuard } from '../../throttling/rate-limit.guard.js';
import { lastBackupOf } from './last-backup.js';

/** Adds the measurements of the core, whose files need not know that somebody measures them. */
export function measureCore(measurements: Measurements, modules: ModuleRef): void {
  const inApp = { strict: false };
  measureDatabase(measurements, modules.get(Database, inApp));
  measureCaches(measurements, modules.get(PublishedFormsService, inApp), modules.get(TokensService, inApp));
  const listener = modules.get(ChangeListener, inApp);
  measurements.gauge(
    'formtrail_listener_connected',
    '1 while the process receives changes of forms and tokens, else 0.',
    [],
    () => Number(listener.hearing),
  );
  const lifecycle = modules.get(Lifecycle, inApp);
  measurements.gauge(
    'formtrail_stopping',
    '1 from SIGTERM or SIGINT on, while requests are drained; else 0.',
    [],
    () => Number(lifecycle.isStopping),
  );
  const { decisions } = modules.get(RateLimitGuard, inApp);
  measurements.counter(
    'formtrail_rate_limit_decisions_total',
    'Requests that the rate limit counted.',
    ['by', 'decision'],
    () => decisions,
  );
  const { rulesLeftOut } = modules.get(CompletionService, inApp);
  measurements.counter(
    'formtrail_field_rules_left_out_total',
    'Rules of fields that could not be applied when a value was checked.',
    ['kind'],
    () => rulesLeftOut,
  );
  const userStorage = modules.get(UserStorageService, inApp);
  measurements.gauge(
    'formtrail_users_near_storage_limit',
    'Users who have stored something on this instance within an hour, and store over 80 % of what USER_STORAGE allows.',
    ['kind'],
    () => userStorage.near(),
  );
  const storage = modules.get<{ readonly connected?: boolean }>(getStorageToken(), inApp);
  if (storage.connected !== undefined)
    measurements.gauge(
      'formtrail_rate_limit_shared',
      '1 while the requests of all instances are counted together in Redis, else 0.',
      [],
      () => Number(storage.connected),
    );
}

/** Measures the connection pool, statements from now on, and the last backup. */
function measureDatabase(measurements: Measurements, database: Database): void {
  measurements.gauge(
    'formtrail_database_pool_size',
    'Maximum number of connections.',
    [],
    () => database.connections.size,
  );
  measurements.gauge('formtrail_database_pool_connections', 'Open connections.', ['state'], () => {
    const { inUse, idle } = database.connections;
    return { in_use: inUse, idle };
  });
  measurements.gauge(
    'formtrail_database_pool_waiting',
    'Callers that wait for a connection.',
    [],
    () => database.connections.waiting,
  );
  measurements.gauge(
    'formtrail_database_pool_saturation',
    'Connections in use plus callers that wait for one, divided by the size of the pool.',
    [],
    () => {
      const { inUse, waiting, size } = database.connections;
      return (inUse + waiting) / size;
    },
  );
  const { byName } = (database.times = new StatementTimes());
  measurements.counter(
    'formtrail_statements_total',
    'Executed statements, including failed ones.',
    ['statement'],
    () => Object.fromEntries([...byName].map(([name, { count }]) => [name, count])),
  );
  measurements.counter(
    'formtrail_statement_seconds_total',
    'Total duration of statements in seconds, from sending to result.',
    ['statement'],
    () => Object.fromEntries([...byName].map(([name, { milliseconds }]) => [name, milliseconds / 1_000])),
  );
  // The last one, because the query of this gauge uses a connection, and the gauges above must not count that connection.
  const lastBackup = lastBackupOf(database);
  measurements.gauge(
    'formtrail_last_backup_timestamp_seconds',
    'Start of the last good backup that was recorded, in seconds since 1970.',
    [],
    () => lastBackup.read(),
  );
}

function measureCaches(
  measurements: Measurements,
  forms: PublishedFormsService,
  tokens: TokensService,
): void {
  const each = (count: 'hits' | 'misses' | 'entries') => () => ({
    forms: forms.cache.usage[count],
    tokens: tokens.cache.usage[count],
  });
  measurements.counter(
    'formtrail_cache_hits_total',
    'Look-ups that found an entry in the cache.',
    ['cache'],
    each('hits'),
  );
  measurements.counter(
    'formtrail_cache_misses_total',
    'Look-ups that found no entry in the cache.',
    ['cache'],
    each('misses'),
  );
  measurements.gauge('formtrail_cache_entries', 'Entries in the cache.', ['cache'], each('entries'));
  measurements.gauge(
    'formtrail_cache_bytes',
    'Approximate size of the cached forms in bytes.',
    ['cache'],
    () => ({ forms: forms.cache.usage.size }),
  );
}
