import { leastCpuOf } from '../../../test/support/cpu-time.js';
import { type FieldPlan, formOf, neverVisibleProperty } from '../../../test/support/linted-form.js';
import type { FormDefinition } from './form-definition.js';
import { lintForm } from './lint-form.js';

it('no values show a field that lint reports as never visible', () => neverVisibleProperty(1_000));

/** A form with every kind of warning, a long cycle, and a select with many dependent fields. */
function large(count: number): FormDefinition {
  const options = Array.from({ length: 50 }, (_, index) => `option_${index}`);
  const fields = Array.from({ length: count }, (_, index): [string, FieldPlan] => [
    `field_${index}`,
    {
      type: ['text', 'select', 'heading', 'number'][index % 4] ?? 'text',
      options: index % 4 === 1 ? options : [],
      conditions: [
        'show field_1 equals option_49',
        'hide field_1 contains grey',
        `show field_${(index + 1) % count} greater_than 5`,
        `hide field_${(index + 1) % count} less_than 6`,
      ],
    },
  ]);
  return formOf({ steps: [Object.fromEntries(fields)] });
}

it('the cost of looking for warnings grows linearly with the number of fields', () => {
  const costOf = (count: number) => {
    const definition = large(count);
    return leastCpuOf(() => lintForm(definition, () => undefined));
  };
  // With 20 times the fields, a quadratic algorithm would take 400 times as long.
  expect(costOf(2_000)).toBeLessThan(100 * costOf(100));
});
