import fc from 'fast-check';
import { compareSchemas } from './definitions/kept-versions.js';
import type { FormSchemaResponse } from './dto/form-schema.response.js';
import { formSchema } from './forms.examples.js';
import { readKeptSchema } from './kept-schema.js';

/** The example as JSON, with every part that a comparison looks into. */
const SCHEMA = JSON.parse(JSON.stringify(formSchema)) as FormSchemaResponse;
const [condition] = SCHEMA.steps[0]!.fields[2]!.conditions;
Object.assign(SCHEMA.steps[0]!, { conditions: [condition] });
Object.assign(SCHEMA.steps[0]!.fields[0]!, {
  ...{ accept: 'image/*', max_bytes: 5, entity: 'child', is_repeatable: true },
  rules: [
    { kind: 'pattern', value: 'a', message: null },
    { kind: 'min_date', value: 'today+1d', message: 'Later.' },
    { kind: 'max', value: '5', message: null },
  ],
});
const entity = { name: 'child', label: 'Child', is_repeatable: true, min_records: 1, max_records: 2 };
Object.assign(SCHEMA, { time_zone: 'Europe/Berlin', entities: [{ ...entity, conditions: [condition] }] });
const KEPT = { data: SCHEMA };

/** Copies a JSON value with one part replaced. `at` chooses the part. */
function withPart(value: unknown, at: readonly number[], part: unknown): unknown {
  const [first, ...rest] = at;
  if (first === undefined || typeof value !== 'object' || value === null) return part;
  const keys = Object.keys(value);
  if (keys.length === 0) return part;
  const key = keys[first % keys.length]!;
  const copy = structuredClone(value) as Record<string, unknown>;
  copy[key] = withPart(copy[key], rest, part);
  return copy;
}

describe('readKeptSchema()', () => {
  it('reads a schema as it was kept, also one from before fields had meta (F12)', () => {
    expect(readKeptSchema(structuredClone(KEPT))).toEqual(SCHEMA);
    const early = structuredClone(KEPT) as unknown as { data: { steps: { fields: { meta?: unknown }[] }[] } };
    for (const { fields } of early.data.steps) for (const field of fields) delete field.meta;
    const metas = readKeptSchema(early)?.steps.flatMap(({ fields }) => fields.map(({ meta }) => meta));
    expect(new Set(metas)).toEqual(new Set([null]));
  });

  it.each(['{}', '[]', '1', 'null', '"data"', '{"data": null}', '{"data": {}}', '{"data": {"steps": []}}'])(
    'reads no schema from %s',
    (text) => {
      expect(readKeptSchema(JSON.parse(text))).toBeUndefined();
    },
  );

  it.each(['action', 'operator'])('reads no schema with an unknown %s of a condition', (key) => {
    const kept = structuredClone(KEPT);
    Object.assign(kept.data.entities[0]!.conditions[0]!, { [key]: 'other' });
    expect(readKeptSchema(kept)).toBeUndefined();
  });

  it('reads no schema that cannot be compared, whatever part of it was replaced', () => {
    const outcomes = new Set<boolean>();
    fc.assert(
      fc.property(fc.array(fc.nat(40), { maxLength: 9 }), fc.jsonValue({ maxDepth: 2 }), (at, part) => {
        const schema = readKeptSchema(withPart(KEPT, at, part));
        outcomes.add(schema !== undefined);
        if (schema === undefined) return;
        compareSchemas(schema, SCHEMA);
        compareSchemas(SCHEMA, schema);
      }),
      { numRuns: 300 },
    );
    expect(outcomes.size).toBe(2);
  });
});
