import { formSchema } from '../../forms/forms.examples.js';
import { toDefinition } from './export-form.js';

/** Keys that the schemas of versions lack which were kept before these keys were added. */
const ADDED_LATER = /^(computed|is_exclusive|value_field_code|other_field_code|offset_days)$/;

it('toDefinition() reads a schema that was kept long ago like one of today without comparisons and formulas', () => {
  const schema = formSchema as unknown as Parameters<typeof toDefinition>[0];
  const kept = JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    ADDED_LATER.test(key) ? undefined : value,
  ) as typeof schema;
  expect(JSON.stringify(kept)).not.toBe(JSON.stringify(schema));
  expect(toDefinition(kept)).toStrictEqual(toDefinition(schema));
});
