import { Counter, Gauge, type Registry } from 'prom-client';

const gauge = (help: string, ...labelNames: string[]) => ({ type: Gauge, help, labelNames });
const counter = (help: string, ...labelNames: string[]) => ({ type: Counter, help, labelNames });

/** All metrics whose values are read for each scrape. */
const METRICS = {
  formtrail_build_info: gauge(
    'Always 1; the labels are the versions of Formtrail and Node.js.',
    'version',
    'node',
  ),
  formtrail_stopping: gauge('1 from SIGTERM or SIGINT on, while requests are drained; else 0.'),
  formtrail_database_pool_size: gauge('Maximum number of connections.'),
  formtrail_database_pool_connections: gauge('Open connections.', 'state'),
  formtrail_database_pool_waiting: gauge('Callers that wait for a connection.'),
  formtrail_database_pool_saturation: gauge(
    'Connections in use plus callers that wait for one, divided by the size of the pool.',
  ),
  formtrail_statements_total: counter('Executed statements, including failed ones.', 'statement'),
  formtrail_statement_seconds_total: counter(
    'Total duration of statements in seconds, from sending to result.',
    'statement',
  ),
  formtrail_last_backup_timestamp_seconds: gauge(
    'Start of the last good backup that was recorded, in seconds since 1970.',
  ),
  formtrail_changes_heard: gauge('1 while the process receives changes of forms and tokens, else 0.'),
  formtrail_cache_hits_total: counter('Look-ups that found an entry in the cache.', 'cache'),
  formtrail_cache_misses_total: counter('Look-ups that found no entry in the cache.', 'cache'),
  formtrail_cache_entries: gauge('Entries in the cache.', 'cache'),
  formtrail_cache_bytes: gauge('Approximate size of the cached forms in bytes.', 'cache'),
  formtrail_rate_limit_decisions_total: counter('Requests that the rate limit counted.', 'by', 'decision'),
  formtrail_rate_limit_shared: gauge(
    '1 while the requests of all instances are counted together in Redis, else 0.',
  ),
  formtrail_respondents_total: counter('Tokens of respondents that were issued.', 'event'),
  formtrail_respondents_refused_total: counter(
    'Requests for a token of a respondent that were rejected.',
    'reason',
  ),
  formtrail_identity_provider_keys: gauge(
    'Keys that verify JSON web tokens. 0: none were fetched, or not for 24 hours, or all are unusable.',
    'issuer',
  ),
  formtrail_identity_provider_keys_age_seconds: gauge(
    'Seconds since the keys were last fetched, or since the start if they were never fetched. Keys end after 86400.',
    'issuer',
  ),
  formtrail_field_rules_left_out_total: counter(
    'Rules of fields that could not be applied when a value was checked.',
    'kind',
  ),
  formtrail_users_near_storage_limit: gauge(
    'Users who have stored something on this instance within an hour, and store over 80 % of what USER_STORAGE allows.',
    'kind',
  ),
  formtrail_file_work_total: counter(
    'Work on files: deleted contents, expired files, scans, and failures.',
    'result',
  ),
  formtrail_file_work_waiting: gauge(
    'Pending deletions of bytes and pending scans, up to 10000 of each.',
    'work',
  ),
  formtrail_file_deletion_lag_seconds: gauge('Delay of the deletion of bytes, in seconds.'),
  formtrail_file_storage_failures_total: counter('Requests to the file storage that failed or timed out.'),
  formtrail_webhook_attempts_total: counter('Attempts to deliver a webhook.', 'outcome'),
  formtrail_webhook_endpoints_disabled_total: counter(
    'Endpoints disabled by this process, because they kept failing or responded with 410.',
  ),
  formtrail_webhook_undecryptable_endpoints: gauge(
    'Endpoints whose secret WEBHOOK_KEY does not decrypt. No deliveries to them are attempted.',
  ),
  formtrail_webhook_outbox_events: gauge('Events that are not yet turned into deliveries, up to 10000.'),
  formtrail_webhook_pending_deliveries: gauge('Pending deliveries, up to 10000.'),
  formtrail_webhook_oldest_pending_seconds: gauge('Age of the oldest undelivered event in seconds.'),
  formtrail_webhook_oldest_due_seconds: gauge(
    'Seconds that the oldest due webhook has waited for a process to deliver it. Failing endpoints are left out.',
  ),
  formtrail_webhook_disabled_endpoints: gauge('Disabled endpoints.'),
};

/** The value of a metric without labels, or its values by the values of its labels. Undefined: the metric has no series. */
type Reading = number | { readonly [label: string]: Reading } | undefined;

/** Returns a function that exports a metric. The metric has only the series of its last reading. */
export function exporterTo(registry: Registry) {
  return (name: keyof typeof METRICS, read: () => Reading | Promise<Reading>): void => {
    const { type: Metric, help, labelNames } = METRICS[name];
    const metric = new Metric({
      name,
      help,
      labelNames,
      registers: [registry],
      collect: async () => {
        const reading = await read();
        metric.reset();
        // Without labels, a reset leaves a series with the value 0.
        if (labelNames.length === 0) metric.remove();
        for (const [labels, value] of seriesOf(reading, labelNames)) metric.inc(labels, value);
      },
    });
  };
}

export type Export = ReturnType<typeof exporterTo>;

function* seriesOf(
  reading: Reading,
  [labelName = '', ...others]: readonly string[],
  labels: Readonly<Record<string, string>> = {},
): Generator<[labels: Record<string, string>, value: number]> {
  if (typeof reading === 'number') yield [labels, reading];
  else
    for (const [label, within] of Object.entries(reading ?? {}))
      yield* seriesOf(within, others, { ...labels, [labelName]: label });
}
