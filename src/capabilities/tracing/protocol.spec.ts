import { StartError } from '../../config/start-error.js';
import { tracingProtocol } from './protocol.js';

const ENDPOINT = 'http://collector:4318';

describe('traces', () => {
  it.each<[object, ReturnType<typeof tracingProtocol>]>([
    [{}, undefined],
    [{ OTEL_SERVICE_NAME: 'forms' }, undefined],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }, undefined],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT }, 'http/protobuf'],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${ENDPOINT}/v1/traces` }, 'http/protobuf'],
    [{ OTEL_TRACES_EXPORTER: 'otlp' }, 'http/protobuf'],
    [{ OTEL_TRACES_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }, 'http/json'],
    [
      {
        OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT,
        OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
        OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
      },
      'http/json',
    ],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT, OTEL_TRACES_EXPORTER: 'none' }, undefined],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT, OTEL_SDK_DISABLED: 'TRUE' }, undefined],
  ])('%j: %s', (variables, protocol) => {
    expect(tracingProtocol({ ...variables })).toBe(protocol);
  });

  it.each([
    ['OTEL_TRACES_EXPORTER', 'zipkin', 'otlp or none'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', 'http/protobuf or http/json'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318', 'an http or https URL such as http://collector:4318'],
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'http://', 'an http or https URL such as http://collector:4318'],
  ])('%s=%s prevents the start with an error that names the variable', (name, value, expected) => {
    const read = () => tracingProtocol({ OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT, [name]: value });
    expect(read).toThrow(StartError);
    expect(read).toThrow(`${name} must be ${expected}, but is "${value}".`);
  });
});
