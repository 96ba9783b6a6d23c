import { fits } from '../support/documented.js';
import type { Operation } from '../support/openapi-types.js';
import {
  JSON_TYPE,
  operations,
  Picked,
  type RawBody,
  type RequestPlan,
  type Sender,
} from './request-plans.js';

/** A request as it is sent. */
export interface Request {
  readonly route: string;
  readonly who: Sender;
  readonly target: string;
  /** Undefined if an escape in the path is malformed. */
  readonly path: Readonly<Record<string, string>> | undefined;
  readonly query: Readonly<Record<string, string | string[]>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: RawBody | undefined;
}

/** Composes the request to send, with the run's values in place of the picks. */
export function composed(plan: RequestPlan, run: unknown): Request {
  const known = unpicked(plan, run) as RequestPlan;
  const [, template = ''] = plan.route.split(' ');
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => segment(known.path[name]));
  const query = new URLSearchParams(
    given(known.query).flatMap(([name, value]) =>
      [value].flat().map((one): [string, string] => [name, text(one)]),
    ),
  );
  return {
    route: plan.route,
    who: plan.who,
    target: query.size === 0 ? path : `${path}?${query.toString()}`,
    path: readPath(template, path),
    query: readQuery(query),
    headers: Object.fromEntries(given(known.headers).map(([name, value]) => [name, headerValue(value)])),
    body: body(known.body),
  };
}

function body(planned: RequestPlan['body']): RawBody | undefined {
  if (planned === undefined || 'text' in planned) return planned;
  return { text: JSON.stringify(planned.json), type: JSON_TYPE };
}

const given = (parts: object): [string, unknown][] =>
  Object.entries(parts).filter(([, value]) => value !== undefined);

function unpicked(value: unknown, run: unknown): unknown {
  if (value instanceof Picked) return value.of(run);
  if (Array.isArray(value)) return value.map((item) => unpicked(item, run));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, unpicked(member, run)]));
}

function text(value: unknown): string {
  const written = typeof value === 'string' ? value : JSON.stringify(value);
  return written.toWellFormed().slice(0, LONGEST_PART);
}

/** The maximum length of one part, so that all parts fit into the head of a request. */
const LONGEST_PART = 1_000;

/** Encodes a path segment. A short text with `%` is already an escape, maybe a malformed one. Dots would change the path. */
function segment(value: unknown): string {
  const written = text(value);
  if (/^%[\w%]{0,3}$/.test(written)) return written;
  return /^\.{0,2}$/.test(written) ? 'x' : encodeURIComponent(written);
}

/** A header value that fetch can send: Latin-1, without line breaks or surrounding white space. */
function headerValue(value: unknown): string {
  return text(value)
    .replace(/[^\x20-\xff]|\x7f/g, '?')
    .trim();
}

/** Whether the request is valid by the OpenAPI document. */
export function fitsDocument({ route, path, query, headers, body }: Request): boolean {
  const { operation, parameters } = operations.find((other) => other.route === route)!;
  const places = { path, query, header: headers };
  return (
    path !== undefined &&
    isBodyFit(operation.requestBody, body) &&
    parameters.every(({ name, in: place, schema }) => {
      const value = places[place]?.[name];
      const isNumber = schema.type === 'integer' && typeof value === 'string' && /^\d+$/.test(value);
      return value === undefined || fits(schema, isNumber ? Number(value) : value);
    })
  );
}

function isBodyFit(documented: Operation['requestBody'], body: RawBody | undefined): boolean {
  if (body === undefined) return documented?.required !== true;
  try {
    const json: unknown = JSON.parse(body.text);
    return body.type === JSON_TYPE && (!documented || fits(documented.content[JSON_TYPE].schema, json));
  } catch {
    return false;
  }
}

function readPath(template: string, target: string): Request['path'] {
  try {
    const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
    const values = new RegExp(template.replace(/\{\w+\}/g, '([^/]+)')).exec(target)!.slice(1);
    return Object.fromEntries(names.map((name, index) => [name, decodeURIComponent(values[index]!)]));
  } catch {
    return undefined;
  }
}

function readQuery(query: URLSearchParams): Request['query'] {
  return Object.fromEntries(
    [...query.keys()].map((name) => {
      const values = query.getAll(name);
      return [name, values.length === 1 ? values[0]! : values];
    }),
  );
}
