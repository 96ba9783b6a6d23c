import { StartError } from '../../config/start-error.js';

const PROTOCOLS = ['http/protobuf', 'http/json'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/** Returns the protocol that OpenTelemetry's variables select, or undefined if the variables do not enable traces. */
export function tracingProtocol(variables: NodeJS.ProcessEnv): Protocol | undefined {
  const text = (name: string) => variables[name]?.trim() || undefined;
  const reject = (name: string, expected: string): never => {
    throw new StartError(`${name} must be ${expected}, but is "${text(name)}".`);
  };

  if (text('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return undefined;
  const endpoints = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'].filter(text);
  const exporter = text('OTEL_TRACES_EXPORTER') ?? (endpoints.length > 0 ? 'otlp' : 'none');
  if (exporter === 'none') return undefined;
  if (exporter !== 'otlp') reject('OTEL_TRACES_EXPORTER', 'otlp or none');
  for (const name of endpoints) {
    const url = text(name) ?? '';
    if (!/^https?:/.test(url) || !URL.canParse(url))
      reject(name, 'an http or https URL such as http://collector:4318');
  }
  const [name = '', protocol = 'http/protobuf'] =
    ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL']
      .map((variable) => [variable, text(variable)] as const)
      .find(([, value]) => value !== undefined) ?? [];
  return PROTOCOLS.find((known) => known === protocol) ?? reject(name, PROTOCOLS.join(' or '));
}
