import fc from 'fast-check';
import type { Reference, Schema } from '../support/openapi-types.js';

/** Values worth trying for a property or parameter of this name, besides those that its schema allows. */
export type Known = Readonly<Record<string, fc.Arbitrary<unknown>>>;

type Resolve = (given: Schema | Reference) => Schema;
type AnySchema = Schema | Reference;

/** Makes values from JSON schemas: valid ones, and hostile ones, which mostly violate the schema. */
export function fromSchemas(resolve: Resolve, known: Known = {}) {
  function valid(given: AnySchema, name = ''): fc.Arbitrary<unknown> {
    const own = ofSchema(resolve(given));
    return name in known
      ? fc.oneof({ weight: 20, arbitrary: known[name]! }, { weight: 1, arbitrary: own })
      : own;
  }

  function ofSchema(schema: Schema): fc.Arbitrary<unknown> {
    if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
    const { anyOf, oneOf, ...common } = schema;
    const alternatives = anyOf ?? oneOf;
    if (alternatives !== undefined) {
      return fc.oneof(...alternatives.map((alternative) => ofSchema(merged(common, resolve(alternative)))));
    }
    const types = [schema.type ?? 'object'].flat();
    return fc.oneof(...types.map((type) => ofType(type, schema)));
  }

  function ofType(type: string, schema: Schema): fc.Arbitrary<unknown> {
    switch (type) {
      case 'null':
        return fc.constant(null);
      case 'boolean':
        return fc.boolean();
      case 'integer':
        return fc.integer({ min: schema.minimum ?? -1_000, max: schema.maximum ?? 1_000 });
      case 'string':
        return ofText(schema);
      case 'array':
        return fc.array(valid(schema.items ?? {}), {
          minLength: schema.minItems ?? 0,
          maxLength: Math.min(schema.maxItems ?? FEW, FEW),
        });
      case 'object':
        return ofMembers(schema);
      default:
        throw new Error(`No values are made of the type ${type} yet.`);
    }
  }

  function ofMembers({ properties, required = [], additionalProperties }: Schema): fc.Arbitrary<object> {
    if (properties === undefined) {
      const member = typeof additionalProperties === 'object' ? valid(additionalProperties) : fc.jsonValue();
      return fc.dictionary(fc.string(), member, { maxKeys: FEW });
    }
    const leftOut = required.length > 0 ? 6 : 1;
    const members = Object.entries(properties).map(([name, property]) => [
      name,
      required.includes(name) ? valid(property, name) : sometimes(valid(property, name), leftOut),
    ]);
    return fc.record(Object.fromEntries(members) as Record<string, fc.Arbitrary<unknown>>);
  }

  /** Values of another type, beyond a limit, or with an invalid member or item. */
  function hostile(given: AnySchema, name = ''): fc.Arbitrary<unknown> {
    const schema = resolve(given);
    return fc.oneof(ANYTHING, ...beyond(schema), ...wrongInside(schema, name));
  }

  function beyond(schema: Schema): fc.Arbitrary<unknown>[] {
    const { minimum, maximum, maxLength, maxItems, items, enum: texts, pattern } = schema;
    return [
      ...(minimum === undefined ? [] : [fc.constantFrom(minimum - 1, minimum + 0.5, String(minimum))]),
      ...(maximum === undefined ? [] : [fc.constantFrom(maximum + 1, -maximum, maximum ** 2)]),
      ...(maxLength === undefined ? [] : [fc.constantFrom('x'.repeat(maxLength), 'é'.repeat(maxLength + 1))]),
      ...(texts === undefined
        ? []
        : [fc.constantFrom(...texts.flatMap((text) => [text.toUpperCase(), `${text} `]))]),
      ...(pattern === undefined ? [] : [fc.string({ unit: CHARACTER })]),
      ...(maxItems === undefined || items === undefined
        ? []
        : [valid(items).map((item) => Array<unknown>(maxItems + 1).fill(item))]),
    ];
  }

  function wrongInside(schema: Schema, name: string): fc.Arbitrary<unknown>[] {
    const { properties, items } = schema;
    if (items !== undefined) {
      const parts = fc.tuple(valid(schema, name), hostile(items), fc.nat(FEW));
      return [parts.map(([list, item, at]) => (list as unknown[]).toSpliced(at, 0, item))];
    }
    if (properties === undefined) return [];
    const replaced = Object.entries(properties).map(([member, property]) =>
      hostile(property, member).map((value) => [member, value] as const),
    );
    const removed = fc.constantFrom(...Object.keys(properties)).map((member) => [member, undefined] as const);
    const added = fc.tuple(fc.constantFrom('__proto__', 'constructor', 'toString', 'id'), ANYTHING);
    return [...replaced, removed, added].map((change) =>
      fc
        .tuple(valid(schema, name), change)
        .map(([object, member]) => Object.fromEntries([...Object.entries(object as object), member])),
    );
  }

  return { valid, hostile };
}

/** The maximum length of a list, unless a test needs a longer one. */
const FEW = 4;

/** Returns undefined `leftOut` times as often as a value. */
export function sometimes<T>(arbitrary: fc.Arbitrary<T>, leftOut: number): fc.Arbitrary<T | undefined> {
  return fc.oneof(
    { withCrossShrink: true },
    { weight: leftOut, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary },
  );
}

const CHARACTER = fc.oneof(
  fc.string({ minLength: 1, maxLength: 1 }),
  fc.constantFrom('é', '🙂', '\u2028', '\t'),
);

const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

const ANYTHING: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 1e308, 2 ** 31, 2 ** 53, '', [], {}, [[]]),
  // Text that PostgreSQL cannot store, and text that looks like it (V10).
  fc.constantFrom('a\u0000', '\ud800', '\udc00b', '\\u0000', '🙂', '%', "'; drop table forms; --"),
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(60, 65, 2_000).map(nested),
);

function ofText({ format, pattern, minLength = 0, maxLength = 24 }: Schema): fc.Arbitrary<string> {
  if (format === 'uuid') return fc.uuid();
  if (format === 'uri') return fc.webUrl();
  if (format !== undefined) throw new Error(`No texts are made in the format ${format} yet.`);
  if (pattern !== undefined) {
    return fc.stringMatching(new RegExp(pattern)).filter((text) => text.length <= maxLength);
  }
  return fc.string({ unit: CHARACTER, minLength, maxLength: Math.min(maxLength, 24) });
}

function merged(left: Schema, right: Schema): Schema {
  return {
    ...left,
    ...right,
    properties: { ...left.properties, ...right.properties },
    required: [...(left.required ?? []), ...(right.required ?? [])],
  };
}
