import type { FastifyInstance, FastifyRequest } from 'fastify';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { routeOf } from '../../http/errors/unknown-route.js';
import type { Measurement, Measurements, Reading } from '../../process/measurements.js';

/**
 * Buckets in seconds. The objective in docs/operations/alerts.md is 0.25, so this bucket exists and the objective needs no
 * interpolation.
 */
const DURATIONS = [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

const KINDS = { counter: Counter, gauge: Gauge };

/**
 * The metrics of a process, for Prometheus. Requests are measured when their responses are sent. All other metrics are read for
 * each scrape.
 */
export class Metrics {
  private static readonly byMeasurements = new WeakMap<Measurements, Metrics>();

  /** Returns the metrics of a process, which its observer and its application share. */
  static of(measurements: Measurements): Metrics {
    const metrics = this.byMeasurements.get(measurements) ?? new Metrics(measurements);
    this.byMeasurements.set(measurements, metrics);
    return metrics;
  }

  readonly registry = new Registry();
  private readonly requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Duration of requests in seconds, from the request headers to the last byte of the response.',
    labelNames: ['method', 'route', 'status'],
    buckets: DURATIONS,
    registers: [this.registry],
  });

  private constructor(measurements: Measurements) {
    collectDefaultMetrics({ register: this.registry });
    // Removes gauges that have the suffix of counters, `_total`. Other metrics export the same values by type.
    for (const what of ['handles', 'requests', 'resources'])
      this.registry.removeSingleMetric(`nodejs_active_${what}_total`);
    measurements.listen((measurement) => {
      this.export(measurement);
    });
  }

  /** Measures the requests of an application. */
  watch(fastify: FastifyInstance): void {
    fastify.addHook('onResponse', (request, reply, done) => {
      this.requests.observe(labelsOf(request, reply.statusCode), reply.elapsedTime / 1000);
      done();
    });
  }

  /** The metric has only the series of its last reading. */
  private export({ name, kind, help, labels: labelNames, read }: Measurement): void {
    const metric = new KINDS[kind]({
      name,
      help,
      labelNames,
      registers: [this.registry],
      collect: async () => {
        const reading = await read();
        metric.reset();
        // Without labels, a reset leaves a series with the value 0.
        if (labelNames.length === 0) metric.remove();
        for (const [labels, value] of seriesOf(reading, labelNames)) metric.inc(labels, value);
      },
    });
  }
}

/** Returns the labels of a request. Clients cannot add series, because the route is a pattern and never a path. */
function labelsOf(request: FastifyRequest, status: number) {
  const { method } = request;
  return { method: METHODS.has(method) ? method : 'other', route: routeOf(request) ?? 'unknown', status };
}

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
