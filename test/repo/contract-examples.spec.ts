import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { document } from '../support/documented.js';
import type { Method } from '../support/openapi-types.js';
import { CONTRACT, read } from './repository.js';

// The tests over HTTP compare real responses with the OpenAPI document. This spec compares the examples of the pages with it.

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);

/** A comment before each example says what it shows. Examples of webhooks are HTTP requests, whose last line is the body. */
const MARKED = /^<!-- (\w+): ([^\n]*) -->\n```(?:json|http)\n(.*?)^```$/gms;

const examples = [...CONTRACT, 'docs/webhooks.md'].flatMap((page) =>
  [...read(page).matchAll(MARKED)].map(([, kind = '', what = '', text = '']) => ({
    page,
    kind,
    what,
    body: JSON.parse(kind === 'webhook' ? (text.trim().split('\n').at(-1) ?? '') : text) as object,
  })),
);

describe('an example in the pages of the contract', () => {
  it('has a comment that says what it shows', () => {
    const blocks = CONTRACT.flatMap((page) => read(page).match(/^ *```json$/gm) ?? []);
    expect(blocks.length).toBeGreaterThan(15);
    expect(examples.filter(({ page }) => CONTRACT.includes(page))).toHaveLength(blocks.length);
  });

  it.each(examples)('has the keys of its schema: $kind of $what ($page)', ({ kind, what, body }) => {
    expect(errorsOf(schemaOf(kind, what), body)).toEqual([]);
  });
});

describe('the check of examples', () => {
  const [example] = examples.filter(({ what }) => what === 'GET /api/v1/forms');
  const schema = schemaOf('response', 'GET /api/v1/forms');

  it('reports a missing and an unknown key at any depth', () => {
    const changed = (change: (form: Record<string, unknown>) => void) => {
      const body = structuredClone(example?.body) as { data: [Record<string, unknown>] };
      change(body.data[0]);
      return errorsOf(schema, body);
    };
    expect(changed((form) => delete form['access'])).toEqual([expect.stringContaining("'access'")]);
    expect(changed((form) => (form['owner'] = 1))).toEqual([expect.stringContaining('/data/0')]);
  });
});

/** Returns the schema of what a comment names, as in `POST /api/v1/submissions` or `… 422 as application/problem+json`. */
function schemaOf(kind: string, what: string): object {
  if (kind === 'definition') {
    const { $defs } = JSON.parse(read('schemas/form-definition.schema.json')) as {
      $defs: { field: { properties: Record<string, object> } };
    };
    return { ...$defs.field.properties[what], $defs };
  }
  if (kind === 'webhook') return { $ref: '#/components/schemas/Webhook' };
  const [method = '', path = '', status, , type = 'application/json'] = what.split(' ');
  const operation = document.paths[path]?.[method.toLowerCase() as Method];
  const success = Object.keys(operation?.responses ?? {})[0] ?? '';
  const content =
    kind === 'request'
      ? operation?.requestBody?.content
      : operation?.responses[Number(status ?? success)]?.content;
  const found = content?.[type as 'application/json'];
  if (found === undefined) throw new Error(`The OpenAPI document has no ${kind} of ${what}`);
  return found.schema;
}

/** Returns why a value does not fit a schema, or has a property that the schema does not name. */
function errorsOf(schema: object, value: unknown): string[] {
  const validate = ajv.compile(closed({ ...schema, components: document.components }) as object);
  validate(value);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/** Forbids unknown properties in each schema that lists properties. Schemas of requests allow them (E8). */
function closed(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(closed);
  const entries = Object.entries(schema).map(([name, part]) => [name, closed(part)] as const);
  const isOpen = typeof (schema as { properties?: object }).properties === 'object' && 'type' in schema;
  return { ...Object.fromEntries(entries), ...(isOpen && { additionalProperties: false }) };
}
