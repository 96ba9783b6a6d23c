import { readFileSync } from 'node:fs';
import { API_PREFIX } from '../../src/http/api-prefix.js';
import type { Answer } from './client.js';
import { OPENAPI_FILE } from './openapi-file.js';
import type {
  Content,
  Header,
  Headers as ResponseHeaders,
  OpenApiDocument,
  Reference,
} from './openapi-types.js';

/** The OpenAPI document that responses are checked against. */
export const document = JSON.parse(readFileSync(OPENAPI_FILE, 'utf8')) as OpenApiDocument;

const routes = Object.entries(document.paths).map(([path, methods]) => ({
  pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
  path,
  methods: new Map(Object.entries(methods)),
}));

/** Headers that any response may have: those of HTTP, CORS (E6) and security (E9). */
const COMMON_HEADERS = new RegExp(
  `^(access-control-.*|${[
    ...['connection', 'content-length', 'content-type', 'date', 'keep-alive', 'transfer-encoding', 'vary'],
    ...['content-security-policy', 'cross-origin-resource-policy', 'referrer-policy'],
    ...['strict-transport-security', 'x-content-type-options', 'x-frame-options'],
  ].join('|')})$`,
  'i',
);

/** Throws if the response contradicts the OpenAPI document. */
export function expectDocumented(method: string, target: string, answer: Answer): void {
  const path = readPath(target);
  const route = routes.find(({ pattern }) => pattern.test(path));
  const operation = route?.methods.get((method === 'HEAD' ? 'GET' : method).toLowerCase());
  if (route === undefined || operation === undefined) {
    if (path.startsWith(`${API_PREFIX}/`) && method !== 'OPTIONS') expectNoRoute(method, path, answer);
    return;
  }
  const what = `${method} ${route.path} answered ${answer.status}`;
  const documented = operation.responses[answer.status];
  if (documented === undefined) throw new Error(`${what}, which the OpenAPI document does not have`);
  const { headers = {}, content, description } = documented;
  expectHeaders(what, headers, answer.headers);
  // The content of a file can have any type.
  if (content?.['*/*'] !== undefined) return;
  if (content === undefined || method === 'HEAD') {
    if (answer.body !== undefined) {
      throw new Error(`${what} with a body that the OpenAPI document does not have`);
    }
  } else {
    expectJson(what, content, answer);
    const { code } = answer.body as { code?: string };
    if (answer.headers.get('content-type') === PROBLEM_TYPE && !description.includes(`(\`${code}\`)`)) {
      throw new Error(`${what} with the code ${code}, which the OpenAPI document does not have there`);
    }
  }
}

/** An undocumented request that is no CORS preflight must fail (E3). */
function expectNoRoute(method: string, path: string, answer: Answer): void {
  const what = `${method} ${path}, which is not documented, answered ${answer.status}`;
  if (![400, 404, 429, 503].includes(answer.status)) throw new Error(what);
  if (method !== 'HEAD') expectJson(what, NO_ROUTE, answer);
}

function expectHeaders(what: string, documented: ResponseHeaders, answered: Headers): void {
  for (const [name, reference] of Object.entries(documented)) {
    const { required = false, schema } = resolve<Header>(reference);
    const value = answered.get(name);
    if (value === null) {
      if (required) throw new Error(`${what} without the header ${name}`);
      continue;
    }
    const given = schema.type === 'integer' && /^\d+$/.test(value) ? Number(value) : value;
    expectFit(`${what} with another ${name} than documented`, schema, given);
  }
  const names = new Set(Object.keys(documented).map((name) => name.toLowerCase()));
  for (const name of answered.keys()) {
    if (!names.has(name) && !COMMON_HEADERS.test(name)) {
      throw new Error(`${what} with the header ${name}, which the OpenAPI document does not have`);
    }
  }
}

/** This media type has no charset parameter (RFC 9457). */
const PROBLEM_TYPE = 'application/problem+json';
const NO_ROUTE = {
  'application/json': { schema: { $ref: '#/components/schemas/Problem' }, examples: {} },
  [PROBLEM_TYPE]: { schema: { $ref: '#/components/schemas/ProblemDetails' }, examples: {} },
} satisfies Content;

function expectJson(what: string, content: Content, { status, headers, body }: Answer): void {
  const type = headers.get('content-type');
  const isPlain = type === 'application/json; charset=utf-8';
  const documented = isPlain ? content['application/json'] : content[PROBLEM_TYPE];
  if (documented === undefined || (!isPlain && type !== PROBLEM_TYPE)) {
    throw new Error(`${what} with the content type ${type}`);
  }
  expectFit(`${what} with another body than documented`, documented.schema, body);
  if (!isPlain && (body as { status: number }).status !== status) {
    throw new Error(`${what} with another status in its body`);
  }
}

const texts = new Map<object, string>();

function mistakesBy(schema: object, value: unknown): string | undefined {
  const text = texts.get(schema) ?? JSON.stringify(schema);
  texts.set(schema, text);
  return globalThis.worker.mistakesIn(text, value);
}

function expectFit(what: string, schema: object, value: unknown): void {
  const mistakes = mistakesBy(schema, value);
  if (mistakes !== undefined) throw new Error(`${what}: ${mistakes}`);
}

/** Whether the value matches this schema of the document. */
export function fits(schema: object, value: unknown): boolean {
  return mistakesBy(schema, value) === undefined;
}

/** Resolves a reference; returns anything else unchanged. */
export function resolve<T extends object>(given: T | Reference): T {
  if (!('$ref' in given)) return given;
  const [, group = '', name = ''] = /^#\/components\/(\w+)\/(\w+)$/.exec(given.$ref) ?? [];
  return (document.components as unknown as Record<string, Record<string, T>>)[group]![name]!;
}

function readPath(target: string): string {
  // The URL parser resolves dot segments, as fetch does before it sends the request.
  const path = new URL(target, 'http://service').pathname;
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
