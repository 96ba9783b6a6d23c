import { subscribe } from 'node:diagnostics_channel';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { diag, DiagLogLevel, SpanKind, trace } from '@opentelemetry/api';
import { registerInstrumentations } from '@opentelemetry/instrumentation';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider, type ReadableSpan } from '@opentelemetry/sdk-trace-node';
import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { InSpan } from '../../process/in-span.js';
import type { Observer } from '../../server/capability.js';
import type { Protocol } from './protocol.js';

/** Maximum milliseconds for sending the remaining spans. */
const STOP_TIMEOUT = 2_000;

/** The only attributes that are exported. Other attributes, such as paths, queries and headers, may contain personal data. */
const EXPORTED =
  /^(db\..*|error\.type|http\.request\.method|http\.response\.status_code|http\.route|network\.protocol\..*|url\.scheme)$/;

class PublicSpanProcessor extends BatchSpanProcessor {
  override onEnd(span: ReadableSpan): void {
    for (const name of Object.keys(span.attributes))
      if (!EXPORTED.test(name)) Reflect.deleteProperty(span.attributes, name);
    super.onEnd(span);
  }
}

/** Traces requests and their statements. OpenTelemetry's standard variables (`OTEL_…`) configure the exporter and the sampling. */
export async function startOpenTelemetry(protocol: Protocol, logger: Logger): Promise<Observer> {
  reportTo(logger);
  const { OTLPTraceExporter } = await (protocol === 'http/json'
    ? import('@opentelemetry/exporter-trace-otlp-http')
    : import('@opentelemetry/exporter-trace-otlp-proto'));
  const provider = new NodeTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'formtrail' }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new PublicSpanProcessor(new OTLPTraceExporter())],
  });
  provider.register();
  registerInstrumentations({
    instrumentations: [
      new HttpInstrumentation({
        disableOutgoingRequestInstrumentation: true,
        ignoreIncomingRequestHook: ({ url }) => url?.startsWith('/health/') ?? false,
      }),
      new PgInstrumentation({ requireParentSpan: true, ignoreConnectSpans: true }),
    ],
  });
  // Instrumentation patches a module only when `require` loads it. Imports share the patched prototypes.
  for (const name of ['http', 'pg']) createRequire(import.meta.url)(name);
  subscribe('tracing:fastify.request.handler:start', (message) => {
    nameByRoute((message as { request: FastifyRequest }).request);
  });
  return {
    logFields: activeSpan,
    inSpan,
    // Sends the remaining spans.
    close: () => Promise.race([provider.shutdown(), sleep(STOP_TIMEOUT, undefined, { ref: false })]),
  };
}

function nameByRoute({ method, routeOptions }: FastifyRequest): void {
  const span = trace.getActiveSpan();
  span?.updateName(`${method} ${routeOptions.url}`);
  span?.setAttribute('http.route', routeOptions.url ?? '');
}

const inSpan: InSpan = (name, work) =>
  trace.getTracer('formtrail').startActiveSpan(name, { kind: SpanKind.CLIENT }, async (span) => {
    try {
      return await work((attribute, value) => span.setAttribute(attribute, value));
    } finally {
      span.end();
    }
  });

function activeSpan(): object {
  const context = trace.getActiveSpan()?.spanContext();
  return context === undefined ? {} : { trace_id: context.traceId, span_id: context.spanId };
}

/** Logs problems with sending traces. */
function reportTo(logger: Logger): void {
  const warn = (...parts: unknown[]) => {
    logger.warn(
      { context: 'Tracing', reason: parts.map(String).join(' ') },
      'OpenTelemetry has a problem, and traces may be missing. Check OTEL_EXPORTER_OTLP_ENDPOINT and the collector.',
    );
  };
  const ignore = () => undefined;
  diag.setLogger(
    { error: warn, warn, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}
