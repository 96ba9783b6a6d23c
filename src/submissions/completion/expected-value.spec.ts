import type { PublishedField } from '../../forms/published-form.js';
import { expectedOf } from './expected-value.js';

function fits(component: string, value: string, options: readonly string[] = []): boolean {
  const field: PublishedField = {
    id: 1,
    code: 'field',
    isRepeatable: false,
    entity: null,
    isDisplayOnly: false,
    isFileInput: false,
    stepNumber: 1,
    isStepVisible: true,
    maxBytes: 1,
    accept: null,
    rules: undefined,
    component,
    options: new Set(options),
  };
  return expectedOf(field)?.fits(value) ?? true;
}

describe('S4: values that fit their component', () => {
  it.each([
    ['0', true],
    ['-1.5', true],
    [' 12 ', true],
    ['1e400', true],
    ['9'.repeat(65_535), true],
    ['ten', false],
    ['1,5', false],
    ['0x10', false],
    ['NaN', false],
    [' ', false],
  ])('number-input: %.20j %s', (value, expected) => {
    expect(fits('number-input', value)).toBe(expected);
  });

  it.each([
    ['ada@example.org', true],
    ['ada.lovelace+forms@mail.example.org', true],
    ['jörg@exämple.de', true],
    ['ada@example', false],
    ['ada', false],
    ['@example.org', false],
    ['ada@', false],
    ['ada@example..org', false],
    [' ada@example.org\n', true],
    ['ada @example.org', false],
    ['ada@example.org, bob@example.org', false],
    ['Ada <ada@example.org>', false],
    [`${'a'.repeat(65_000)}@example.org`, false],
  ])('email-input: %.40j %s', (value, expected) => {
    expect(fits('email-input', value)).toBe(expected);
  });

  it.each([
    ['2026-11-21', true],
    ['2024-02-29', true],
    ['2000-02-29', true],
    ['0099-12-31', true],
    ['2023-02-29', false],
    ['1900-02-29', false],
    ['2026-04-31', false],
    ['2026-13-01', false],
    ['2026-00-10', false],
    ['2026-01-00', false],
    ['2026-1-1', false],
    ['21.11.2026', false],
    ['11/21/2026', false],
    ['2026-11-21T10:00:00Z', false],
    ['\u00a02026-11-21 ', true],
    ['2026-11- 21', false],
    ['+002026-11-21', false],
    ['20261121', false],
    ['٢٠٢٦-١١-٢١', false],
  ])('date-input: %j %s', (value, expected) => {
    expect(fits('date-input', value)).toBe(expected);
  });

  it.each(['select-input', 'radio-input'])('%s: exactly one of the options', (component) => {
    const options = ['yes', 'no', 'a,b', 'constructor'];
    expect(options.map((option) => fits(component, option, options))).toEqual([true, true, true, true]);
    expect([' yes', 'no\t', ' a,b '].filter((one) => !fits(component, one, options))).toEqual([]);
    const others = ['Yes', 'a, b', 'yes,no', 'maybe', 'toString', '__proto__'];
    expect(others.filter((other) => fits(component, other, options))).toEqual([]);
    expect(fits(component, 'yes')).toBe(false);
  });

  it.each([
    ['red', true],
    ['red,blue', true],
    ['blue, red', true],
    ['red,red', true],
    ['grey, light', true],
    ['red,grey, light,blue', true],
    [' red ', true],
    ['red,', false],
    [',', false],
    ['red,,blue', false],
    ['red;blue', false],
    ['Red', false],
    ['light', false],
    ['true', false],
    [','.repeat(65_535), false],
  ])('checkbox-input with options: %.30j %s', (value, expected) => {
    expect(fits('checkbox-input', value, ['red', 'blue', 'grey, light', 'grey'])).toBe(expected);
  });

  it.each([
    ...['true', 'false', 'yes', 'no', 'on', 'off', '1', '0', 'TRUE', 'On'].map((word) => [word, true]),
    ...[' true', 'off\n'].map((word) => [word, true]),
    ...['y', 'checked', '2', 'o n', 'true,false', 'null'].map((word) => [word, false]),
  ] as [string, boolean][])('checkbox-input without options: %j %s', (value, expected) => {
    expect(fits('checkbox-input', value)).toBe(expected);
  });

  it.each(['select-input', 'radio-input', 'checkbox-input'])(
    '%s: an option with white space of its own only as it is',
    (component) => {
      const options = [' a', 'b', 'b '];
      expect([' a', 'b', 'b ', ' b'].filter((one) => !fits(component, one, options))).toEqual([]);
      expect(['a', ' a ', '  a'].filter((one) => fits(component, one, options))).toEqual([]);
    },
  );

  it.each(['text-input', 'textarea-input', 'file-input', 'colour-wheel'])('%s: any text', (component) => {
    for (const value of [' ', 'x', '{}', '🙂']) expect(fits(component, value, ['red'])).toBe(true);
  });
});
