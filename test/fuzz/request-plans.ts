import fc from 'fast-check';
import { document, resolve } from '../support/documented.js';
import type { Method, Operation, Parameter } from '../support/openapi-types.js';
import { fromSchemas, type Known, sometimes } from './from-schema.js';

export type Who = 'owner' | 'stranger' | 'nobody' | 'respondent';

/** The owner of a request's token. Each call of POST /respondents makes another respondent. */
export type Sender = Who | `respondent ${number}`;

/** A request before it is sent. A {@link Picked} stands for each value that only the run knows. */
export interface RequestPlan {
  /** A route of the OpenAPI document, for example `GET /api/v1/forms/{uuid}`. */
  readonly route: string;
  readonly who: Who;
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, unknown>>;
  /** Undefined for a request without a body. */
  readonly body?: { readonly json: unknown } | RawBody | undefined;
}

export interface RawBody {
  readonly text: string;
  readonly type: string;
}

/** Stands for a value that only the run knows, such as the UUID of the second submission. */
export class Picked<Run> {
  constructor(readonly of: (run: Run) => unknown) {}
}

export const JSON_TYPE = 'application/json';

/** All paths except those of files. The fuzzed service has no files, so fields for files accept any text (V11). */
const paths = Object.entries(document.paths).filter(([path]) => !path.includes('/files'));
export const operations = paths.flatMap(([path, methods]) =>
  (Object.entries(methods) as [Method, Operation][]).map(([method, operation]) => ({
    route: `${method.toUpperCase()} ${path}`,
    operation,
    parameters: operation.parameters,
  })),
);

/** Makes requests of one operation. About `hostility` per cent of their parts are hostile. */
export function requestsOf(
  { route, operation, parameters }: (typeof operations)[number],
  known: Known,
  hostility: number,
): fc.Arbitrary<RequestPlan> {
  const subject = route.includes('/forms/') ? 'form' : 'submission';
  const { valid, hostile } = fromSchemas(resolve, known);
  const mostly = (good: fc.Arbitrary<unknown>, bad: fc.Arbitrary<unknown>) =>
    fc.oneof(
      { withCrossShrink: true },
      { weight: 100 - hostility, arbitrary: good },
      { weight: hostility, arbitrary: bad },
    );
  const partsIn = (place: Parameter['in']) =>
    fc.record(
      Object.fromEntries(
        parameters
          .filter((parameter) => parameter.in === place)
          .map(({ name, schema, required = false }) => {
            const bad = place === 'query' ? fc.oneof(hostile(schema), REPEATED) : hostile(schema);
            const part = mostly(valid(schema, name === 'uuid' ? `${subject} uuid` : name), bad);
            return [name, required ? part : sometimes(part, 2)];
          }),
      ),
    );
  const schema = operation.requestBody?.content[JSON_TYPE].schema;
  const json = (value: fc.Arbitrary<unknown>) => value.map((given) => ({ json: given }));
  const body =
    schema === undefined
      ? mostly(fc.constant(undefined), fc.oneof(json(hostile({})), UNREADABLE))
      : mostly(json(valid(schema)), fc.oneof({ weight: 8, arbitrary: json(hostile(schema)) }, UNREADABLE));
  return fc.record({
    route: fc.constant(route),
    who: fc.constant<Who>('owner'),
    path: partsIn('path'),
    query: partsIn('query'),
    headers: fc
      .tuple(partsIn('header'), fc.constantFrom({}, {}, ...ACCEPTS))
      .map(([headers, accept]) => ({ ...headers, ...accept })),
    body: route.startsWith('GET') ? fc.constant(undefined) : (body as fc.Arbitrary<RequestPlan['body']>),
  });
}

/** `Accept` decides the format of errors (E11). */
const ACCEPTS = ['application/problem+json', 'application/json, application/problem+json', '*/*', '"'].map(
  (Accept) => ({ Accept }),
);

const REPEATED = fc.constantFrom(['1', '1'], ['map', 'list'], ['', '']);

const UNREADABLE: fc.Arbitrary<RawBody | undefined> = fc.constantFrom(
  undefined,
  { text: '{"values": [', type: JSON_TYPE },
  { text: "{'meta': {}}", type: JSON_TYPE },
  { text: '{}', type: 'text/plain' },
  { text: 'form_uuid=x', type: 'application/x-www-form-urlencoded' },
);
