import type { PublishedField } from '../../forms/published-form.js';
import { expectedOf } from './expected-value.js';

function fits(component: string, value: string, options: readonly string[] = []): boolean {
  const field: PublishedField = {
    ...{ id: 1, code: 'field', isRepeatable: false, entity: null, isDisplayOnly: false },
    ...{
      stepNumber: 1,
      isStepVisible: true,
      extension: { max_bytes: null, accept: null },
      optionExtensions: [],
      rules: undefined,
    },
    component,
    options: new Set(options),
    exclusiveOptions: new Set(),
  };
  return expectedOf(field)?.fits(value) ?? true;
}

describe('S4: values that fit their component', () => {
  it.each<[components: string, options: string[], fitting: string[], others: string[]]>([
    [
      'number-input',
      [],
      ['0', '-1.5', ' 12 ', '1e400', '9'.repeat(65_535)],
      ['ten', '1,5', '0x10', 'NaN', ' '],
    ],
    [
      'email-input',
      [],
      ['ada@example.org', 'ada.lovelace+forms@mail.example.org', 'jörg@exämple.de', ' ada@example.org\n'],
      [
        ...['ada@example', 'ada', '@example.org', 'ada@', 'ada@example..org', 'ada @example.org'],
        ...['ada@example.org, bob@example.org', 'Ada <ada@example.org>', `${'a'.repeat(65_000)}@example.org`],
      ],
    ],
    // rule-values.spec.ts has further dates.
    [
      'date-input',
      [],
      ['2026-11-21', '2024-02-29', '\u00a02026-11-21 '],
      ['2023-02-29', '2026-1-1', '21.11.2026', '2026-11- 21', ' '],
    ],
    [
      'select-input radio-input',
      ['yes', 'no', 'a,b', 'constructor'],
      ['yes', 'no', 'a,b', 'constructor', ' yes', 'no\t', ' a,b '],
      ['Yes', 'a, b', 'yes,no', 'maybe', 'toString', '__proto__'],
    ],
    ['select-input radio-input', [], [], ['yes']],
    // An option with white space of its own fits only as it is (J13).
    [
      'select-input radio-input checkbox-input',
      [' a', 'b', 'b '],
      [' a', 'b', 'b ', ' b'],
      ['a', ' a ', '  a'],
    ],
    [
      'checkbox-input',
      ['red', 'blue', 'grey, light', 'grey'],
      ['red', 'red,blue', 'blue, red', 'red,red', 'grey, light', 'red,grey, light,blue', ' red '],
      ['red,', ',', 'red,,blue', 'red;blue', 'Red', 'light', 'true', ','.repeat(65_535)],
    ],
    [
      'checkbox-input',
      [],
      ['true', 'false', 'yes', 'no', 'on', 'off', '1', '0', 'TRUE', 'On', ' true', 'off\n'],
      ['y', 'checked', '2', 'o n', 'true,false', 'null'],
    ],
    ['text-input textarea-input file-input colour-wheel', ['red'], [' ', 'x', '{}', '🙂'], []],
  ])('%s with the options %j', (components, options, fitting, others) => {
    for (const component of components.split(' ')) {
      const isFitting = (value: string) => fits(component, value, options);
      const found = [component, fitting.filter(isFitting), others.filter(isFitting)];
      expect(found).toEqual([component, fitting, []]);
    }
  });
});
