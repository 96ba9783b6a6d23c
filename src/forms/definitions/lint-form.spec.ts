import fc from 'fast-check';
import { compileRules, type Action, type Operator, OPERATORS } from '../../rules/index.js';
import { FIRST_FIELD_TYPES } from '../field-types.js';
import { checkDefinition, namesIn } from './check-definition.js';
import type { FormDefinition } from './form-definition.js';
import { lintForm } from './lint-form.js';

/** The code of the tested field, operator, value, action. */
type ConditionPlan = readonly [string, Operator, string, Action];

interface FieldPlan {
  readonly type?: string;
  readonly repeatable?: boolean;
  readonly retired?: boolean;
  readonly options?: readonly string[];
  readonly conditions?: readonly ConditionPlan[];
  readonly rules?: Readonly<Record<string, string>>;
}

/** Builds a form with one step, as an import reads it. */
function form(plans: Readonly<Record<string, FieldPlan>>): FormDefinition {
  const fields = Object.entries(plans).map(([code, plan]) => ({
    code,
    label: code,
    field_type: { name: plan.type ?? 'text' },
    is_repeatable: plan.repeatable ?? false,
    retired: plan.retired ?? false,
    options: (plan.options ?? []).map((value) => ({ label: value, value })),
    conditions: (plan.conditions ?? []).map(([depends_on_field_code, operator, value, action]) => {
      return { depends_on_field_code, operator, value, action };
    }),
    rules: Object.entries(plan.rules ?? {}).map(([kind, value]) => ({ kind, value })),
  }));
  const source = { name: 'Form', slug: 'form', steps: [{ step_number: 1, title: 'One', fields }] };
  const mistakes: string[] = [];
  const names = { components: new Map<string, string>(FIRST_FIELD_TYPES), ...namesIn(undefined) };
  const definition = checkDefinition(source, names, (path, message) => mistakes.push(`${path}: ${message}`));
  expect(mistakes).toEqual([]);
  return definition;
}

function lint(definition: FormDefinition): [path: string, message: string][] {
  const reported: [string, string][] = [];
  lintForm(definition, (path, message) => reported.push([path, message]));
  return reported;
}

/** Returns warnings as lines, with paths relative to the only step. */
const warnings = (plans: Readonly<Record<string, FieldPlan>>) =>
  lint(form(plans)).map(([path, message]) => `${path.replace(/^steps\[0\]\./, '')}: ${message}`);

/** The warnings about a condition on `source`. Its action is `require`, so that visibility is not checked. */
function valueWarnings(source: FieldPlan, operator: Operator, value: string): string[] {
  return warnings({ source, target: { conditions: [['source', operator, value, 'require']] } });
}

const COLOURS = ['red', 'green'];

describe('warnings about rules that are never applied (J5)', () => {
  const UNFIT = 'does not apply to values of this field; change or remove it';

  it.each<[string, FieldPlan, string[]]>([
    [
      'a rule that contradicts another',
      { type: 'number', rules: { min: '5', max: '4.9' } },
      [
        'fields[0].rules[0]: is never applied, because "min" contradicts max 4.9; change or remove it',
        'fields[0].rules[1]: is never applied, because "max" contradicts min 5; change or remove it',
      ],
    ],
    [
      'a rule for dates that contradicts another',
      { type: 'date', rules: { max_date: 'today', min_date: 'today+1d' } },
      [
        'fields[0].rules[0]: is never applied, because "max_date" contradicts min_date today+1d; change or remove it',
        'fields[0].rules[1]: is never applied, because "min_date" contradicts max_date today; change or remove it',
      ],
    ],
    [
      'a length rule of a number field',
      { type: 'number', rules: { min_length: '2', max: '9' } },
      [`fields[0].rules[0]: is never applied, because "min_length" ${UNFIT}`],
    ],
    [
      'a rule of a select field',
      { type: 'select', options: ['a'], rules: { pattern: 'a' } },
      [`fields[0].rules[0]: is never applied, because "pattern" ${UNFIT}`],
    ],
    [
      'a rule of a heading',
      { type: 'heading', rules: { min: '1' } },
      [`fields[0].rules[0]: is never applied, because "min" ${UNFIT}`],
    ],
    [
      'no rule if all rules can be met',
      { type: 'text', rules: { min_length: '2', max_length: '2', pattern: 'a+' } },
      [],
    ],
  ])('include %s', (_what, plan, expected) => {
    expect(warnings({ field: plan })).toEqual(expected);
  });
});

describe('options of a checkbox for which two selections are stored as the same text', () => {
  it.each([
    [['Red', 'White', 'Red,White'], 2, '"Red,White" gives the same text as "Red", "White"'],
    [['a', 'a,b', 'c', 'b,c'], 1, '"a", "b,c" gives the same text as "a,b", "c"'],
    [['Red', ' Red'], 1, '"Red" gives the same text as " Red"'],
  ])('get a warning: %j', (options, index, which) => {
    expect(warnings({ field: { type: 'checkbox', options } })).toEqual([
      `fields[0].options[${index}].value: makes stored values ambiguous, because a checkbox joins its options with ` +
        `commas, and ${which}; use option values without commas`,
    ]);
  });

  it('get no warning if each text can be read in only one way, or if users choose only one option', () => {
    expect(warnings({ field: { type: 'checkbox', options: ['Red', 'White', 'Dark, warm'] } })).toEqual([]);
    expect(warnings({ field: { type: 'select', options: ['Red', 'White', 'Red,White'] } })).toEqual([]);
  });
});

describe('a condition on a display-only field', () => {
  it.each(['heading', 'paragraph'])('gets a warning: %s (V8)', (type) => {
    expect(valueWarnings({ type }, 'not_empty', '')).toEqual([
      'fields[1].conditions[0].depends_on_field_code: must be the code of a field that can have a value, but ' +
        '"source" is for display only and never has one',
    ]);
  });
});

describe('a retired field (N6)', () => {
  it('gives a warning to conditions that test it', () => {
    const target: FieldPlan = { conditions: [['source', 'equals', 'x', 'require']] };
    expect(warnings({ source: { retired: true }, target })).toEqual([
      'fields[1].conditions[0].depends_on_field_code: is never met, because "source" is retired; test another field, or remove the condition',
    ]);
    expect(warnings({ source: {}, target })).toEqual([]);
  });

  it('hides for good what only conditions on it show, and takes part in no cycle', () => {
    const never =
      '"target" can never be visible, because no "show" condition is ever met; change its conditions';
    const visibility = (target: FieldPlan, source: FieldPlan = {}) =>
      warnings({ source: { ...source, retired: true }, target }).filter((line) =>
        line.startsWith('fields[1]: '),
      );
    for (const operator of OPERATORS)
      expect(visibility({ conditions: [['source', operator, 'x', 'show']] })).toEqual([
        `fields[1]: ${never}`,
      ]);
    expect(visibility({ conditions: [['source', 'empty', '', 'hide']] })).toEqual([]);
    const both: FieldPlan = { conditions: [['target', 'equals', 'x', 'show']] };
    expect(visibility({ conditions: [['source', 'equals', 'x', 'hide']] }, both)).toEqual([]);
    const other = {
      conditions: [
        ['source', 'equals', 'x', 'show'],
        ['third', 'equals', 'x', 'show'],
      ] as const,
    };
    expect(warnings({ source: { retired: true }, target: other, third: {} })).toHaveLength(1);
  });

  it('gets no warnings itself', () => {
    const target: FieldPlan = { options: [' '], conditions: [['source', 'less_than', 'ten', 'show']] };
    expect(warnings({ source: {}, target })).not.toEqual([]);
    expect(warnings({ source: {}, target: { ...target, retired: true } })).toEqual([]);
  });
});

describe('a numeric comparison with text that is not a number (C4)', () => {
  it.each<[Operator, string]>([
    ['greater_than', 'ten'],
    ['less_than', ''],
    ['less_than', '1,5'],
    ['greater_than', '0x10'],
  ])('gets a warning: %s %j', (operator, value) => {
    expect(valueWarnings({ type: 'number' }, operator, value)).toEqual([
      `fields[1].conditions[0].value: must be a decimal number, because "${operator}" is never met otherwise, ` +
        `but is ${JSON.stringify(value)}`,
    ]);
  });

  it.each<[Operator, string]>([
    ['greater_than', ' -1.5e3 '],
    ['less_than', '.5'],
    ['equals', 'ten'],
  ])('gets no warning: %s %j', (operator, value) => {
    expect(valueWarnings({ type: 'number' }, operator, value)).toEqual([]);
  });
});

describe('a comparison with a text that is not an option', () => {
  it.each<[string, string[], Operator, string, string]>([
    ['select', COLOURS, 'equals', 'grey', '"grey"'],
    ['radio', COLOURS, 'not_equals', 'Red', '"Red"'],
    ['select', COLOURS, 'equals', '', '""'],
    ['select', COLOURS, 'equals', 'red,green', '"red,green"'],
    ['select', COLOURS, 'in', 'red, grey,, pink', '"grey", "pink"'],
    ['radio', COLOURS, 'not_in', 'grey', '"grey"'],
    ['select', COLOURS, 'contains', 'reen,', '"reen,"'],
    ['select', [' red'], 'in', ' red', '"red"'],
    ['checkbox', COLOURS, 'not_equals', 'red,grey', '"grey"'],
    ['checkbox', COLOURS, 'contains', 'grey', '"grey"'],
    ['checkbox', COLOURS, 'contains', 'ed, grey', '"grey"'],
  ])('gets a warning: %s %j %s %j', (type, options, operator, value, foreign) => {
    const known = options.map((option) => JSON.stringify(option)).join(', ');
    expect(valueWarnings({ type, options }, operator, value)).toEqual([
      `fields[1].conditions[0].value: must name options of "source" (${known}), but has ${foreign}`,
    ]);
  });

  it.each<[string, string[], Operator, string]>([
    ['select', COLOURS, 'equals', 'red'],
    ['select', COLOURS, 'in', ' red ,, green'],
    ['select', COLOURS, 'in', ''],
    ['select', COLOURS, 'contains', 'ree'],
    ['select', COLOURS, 'empty', 'grey'],
    ['select', COLOURS, 'not_empty', 'grey'],
    ['select', [], 'equals', 'grey'],
    ['select', ['', 'a'], 'equals', ''],
    ['checkbox', [], 'equals', 'true'],
    ['checkbox', COLOURS, 'not_equals', 'green, red'],
    ['checkbox', COLOURS, 'contains', 'd,gre'],
    ['checkbox', ['a,b', 'c'], 'not_equals', 'c,a,b'],
    ['checkbox', [' a '], 'equals', ' a ,a'],
    ['text', COLOURS, 'equals', 'grey'],
  ])('gets no warning: %s %j %s %j', (type, options, operator, value) => {
    expect(valueWarnings({ type, options }, operator, value)).toEqual([]);
  });

  it('names only the first options if there are many', () => {
    const options = Array.from({ length: 300 }, (_, index) => `country_${index}`);
    expect(valueWarnings({ type: 'select', options }, 'equals', 'x'.repeat(100))).toEqual([
      `fields[1].conditions[0].value: must name options of "source" (${options
        .slice(0, 8)
        .map((option) => `"${option}"`)
        .join(', ')} and 292 more), but has "${'x'.repeat(79)}…`,
    ]);
  });
});

describe('a comparison with the whole list of checked options', () => {
  it.each<Operator>(['equals', 'in', 'not_in'])('gets a warning: %s', (operator) => {
    expect(valueWarnings({ type: 'checkbox', options: ['red', 'green', 'blue'] }, operator, 'red')).toEqual([
      'fields[1].conditions[0].operator: compares the whole value of "source", which lists all checked options, such as ' +
        '"red,green"; use "contains" to test for one option',
    ]);
  });

  it('gets a warning in addition to the warning about a text that is not an option', () => {
    expect(valueWarnings({ type: 'checkbox', options: COLOURS }, 'equals', 'grey')).toEqual([
      expect.stringContaining('.operator: compares the whole value'),
      expect.stringContaining('.value: must name options'),
    ]);
  });

  it.each<[string, string[], Operator]>([
    ['a checkbox with one option', ['red'], 'equals'],
    ['a checkbox without options', [], 'in'],
    ['a test for one option', COLOURS, 'contains'],
    ['a test for any option', COLOURS, 'not_empty'],
  ])('is distinguished from %s, which gets no warning', (_, options, operator) => {
    expect(valueWarnings({ type: 'checkbox', options }, operator, 'red')).toEqual([]);
  });

  it.each(['select', 'radio', 'text'])(
    'is distinguished from one with a %s, which holds one value',
    (type) => {
      expect(valueWarnings({ type, options: COLOURS }, 'in', 'red')).toEqual([]);
    },
  );
});

describe('an option that is part of another', () => {
  const ANIMALS = ['cat', 'caterpillar', 'dog', 'bobcat'];

  it.each([
    ['checkbox', 'use option values that are not part of one another'],
    ['select', 'use "equals"'],
    ['radio', 'use "equals"'],
  ])('gets a warning if a %s is tested with "contains"', (type, instead) => {
    expect(valueWarnings({ type, options: ANIMALS }, 'contains', 'cat')).toEqual([
      'fields[1].conditions[0].value: is also part of other options of "source" ("caterpillar", "bobcat"), which meet ' +
        `"contains" too; ${instead}`,
    ]);
  });

  it.each<[string, Operator, string]>([
    ['checkbox', 'contains', 'dog'],
    ['checkbox', 'contains', 'caterpillar'],
    ['checkbox', 'contains', 'cater'],
    ['checkbox', 'contains', 'cat,dog'],
    ['select', 'equals', 'cat'],
    ['text', 'contains', 'cat'],
  ])('gets no warning: %s %s %j', (type, operator, value) => {
    expect(valueWarnings({ type, options: ANIMALS }, operator, value)).toEqual([]);
  });
});

describe('a comparison with an empty value', () => {
  it.each<[string, Operator, string, string]>([
    ['text', 'not_equals', '', 'is always met, even without a value'],
    ['text', 'not_in', '', 'is always met, even without a value'],
    ['text', 'not_in', ' ,', 'is always met, even without a value'],
    ['text', 'contains', '', 'is met by any value'],
    ['select', 'not_equals', '', 'is always met, even without a value'],
    ['checkbox', 'contains', '', 'is met by any value'],
  ])('gets a warning: %s %s %j', (type, operator, value, what) => {
    expect(valueWarnings({ type, options: COLOURS }, operator, value)).toEqual([
      `fields[1].conditions[0].value: must not be empty, because "${operator}" then ${what}; use "not_empty" to test ` +
        'for a value',
    ]);
  });

  it.each<[Operator, string]>([
    ['not_equals', ' '],
    ['contains', ','],
    ['empty', ''],
    ['not_empty', ''],
  ])('is distinguished from %s %j, which gets no warning', (operator, value) => {
    expect(valueWarnings({ type: 'text' }, operator, value)).toEqual([]);
  });
});

const text: FieldPlan = {};
const several: FieldPlan = { repeatable: true };
const select: FieldPlan = { type: 'select', options: COLOURS };
const selects: FieldPlan = { ...select, repeatable: true };
const heading: FieldPlan = { type: 'heading' };

/** Parses conditions on one field, such as `show equals red`. */
function conditionsOn(code: string, words: readonly string[]): ConditionPlan[] {
  return words.map((line) => {
    const [action, operator, ...value] = line.split(' ');
    return [code, operator as Operator, value.join(' '), action as Action];
  });
}

const neverVisible = (plans: Readonly<Record<string, FieldPlan>>) =>
  warnings(plans).filter((line) => line.includes('can never be visible'));

describe('a field that can never be visible', () => {
  it.each<[string, FieldPlan, string[]]>([
    ['hidden with and without a value', text, ['hide empty', 'hide not_empty']],
    ['hidden by a text and by all others', text, ['hide equals a', 'hide not_equals a']],
    ['hidden by a list and by all texts outside it', text, ['hide in a, b', 'hide not_in b,a']],
    ['hidden by any text and by none', text, ['hide contains ', 'hide empty']],
    ['hidden by all texts but one, which is hidden too', text, ['hide not_equals abc', 'hide contains b']],
    [
      'hidden by all values but a number, which is hidden too',
      text,
      ['hide not_equals 5', 'hide less_than 5.1'],
    ],
    ['hidden without a value, because a heading never has one', heading, ['hide empty']],
    ['hidden by every option', select, ['hide in red,green', 'hide empty']],
    [
      'hidden by a part of one option and by the number in another',
      { type: 'radio', options: ['a1', '5'] },
      ['hide contains a', 'hide greater_than 4', 'hide empty'],
    ],
    ['hidden by all values but a text that is not an option', select, ['hide not_equals grey']],
  ])('because of "hide" conditions gets a warning: %s', (_, source, words) => {
    expect(neverVisible({ source, target: { conditions: conditionsOn('source', words) } })).toEqual([
      'fields[1]: "target" can never be visible, because a "hide" condition is met no matter what "source" holds; change its conditions',
    ]);
  });

  it.each<[string, FieldPlan, string[]]>([
    ['shown and hidden by the same text', text, ['show equals a', 'hide equals a']],
    ['shown by texts that a list hides', text, ['show in a,b', 'hide in b,c,a']],
    [
      'shown by two texts that are both hidden',
      text,
      ['show equals a', 'show equals bc', 'hide contains b', 'hide in a'],
    ],
    ['shown by a part that contains a hidden part', text, ['show contains abc', 'hide contains b']],
    ['shown by a part and hidden by any value', text, ['show contains abc', 'hide not_empty']],
    ['shown by an empty list', text, ['show in , ,']],
    ['shown by an empty text', text, ['show equals ']],
    ['shown by a comparison with a text', text, ['show greater_than many']],
    ['shown above 10 and hidden above 9.99', text, ['show greater_than 10', 'hide greater_than 9.99']],
    ['shown below 3 and hidden below 5', text, ['show less_than 3', 'hide less_than 5']],
    [
      'shown by numbers that are all hidden',
      text,
      ['show greater_than 1', 'hide less_than 5', 'hide greater_than 4.9'],
    ],
    ['shown by a text that is hidden as a number', text, ['show equals 5', 'hide greater_than 4.5']],
    [
      'shown by a number and hidden by all but a text',
      text,
      ['show greater_than 5', 'hide not_equals seven'],
    ],
    ['shown and hidden without a value', text, ['show empty', 'hide not_equals a']],
    ['shown by the value of a heading', heading, ['show not_empty', 'show contains ']],
    [
      'shown by texts that are not options',
      select,
      ['show equals grey', 'show greater_than 5', 'show contains rey'],
    ],
    ['shown by options that are hidden', select, ['show contains re', 'hide in red,green']],
    [
      'shown by numbers among the options, which are hidden as texts',
      { type: 'radio', options: ['a1', '5', '6'] },
      ['show greater_than 4', 'hide contains 5', 'hide equals 6'],
    ],
    ['shown and hidden by the same one of several texts', several, ['show equals a', 'hide equals a']],
    ['shown and hidden if no value is "a"', several, ['show not_equals a', 'hide not_equals a']],
    [
      'shown and hidden if no value is in a list',
      several,
      ['show not_in a,b', 'show empty', 'hide not_in b,a'],
    ],
    ['shown by several options that are all hidden', selects, ['show not_empty', 'hide contains re']],
  ])('because of "show" conditions gets a warning: %s', (_, source, words) => {
    expect(neverVisible({ source, target: { conditions: conditionsOn('source', words) } })).toEqual([
      expect.stringMatching(
        /^fields\[1\]: "target" can never be visible, because no "show" condition is ever met( unless a "hide" condition is met too)?; change/,
      ),
    ]);
  });

  it.each<[string, FieldPlan, string[]]>([
    ['no conditions', text, []],
    ['only "require" conditions', text, ['require empty', 'require not_empty']],
    ['shown by one text and hidden by another', text, ['show equals a', 'hide equals A']],
    ['shown by two texts, one of which is hidden', text, ['show equals a', 'show equals b', 'hide equals a']],
    ['shown by a part and hidden by that part alone', text, ['show contains a', 'hide equals a']],
    ['shown by a part and hidden by a longer part', text, ['show contains b', 'hide contains abc']],
    ['shown by a digit in a text', text, ['show contains 5', 'hide less_than 9', 'hide greater_than 1']],
    ['shown between two numbers', text, ['show greater_than 5', 'hide greater_than 5.0000001']],
    ['shown between two negative numbers', text, ['show less_than -5', 'hide less_than -5.0000001']],
    ['shown just above 0', text, ['show greater_than 0', 'hide greater_than 1e-99']],
    ['shown just below 0', text, ['show less_than 0', 'hide less_than -1e-99']],
    ['shown only at 0', text, ['show greater_than -1e-9', 'hide less_than 0', 'hide greater_than 0']],
    [
      'shown by another spelling of a hidden number',
      text,
      ['show greater_than 4', 'hide less_than 5', 'hide greater_than 5', 'hide in 5,5.0,05,+5,5e0'],
    ],
    [
      'shown between numbers of many digits',
      text,
      ['show greater_than 1e999999999999', 'hide greater_than 1000000000.1e999999999990'],
    ],
    [
      'shown by a number without the digit 5, which lint does not search',
      text,
      ['show greater_than 5', 'hide contains 5'],
    ],
    [
      'hidden by a digit or point in every number, which lint does not search',
      text,
      ['show greater_than 5', 'hide greater_than 5.5', 'hide contains 5', 'hide contains .'],
    ],
    [
      'hidden by every text that a condition mentions',
      text,
      [
        'show not_equals a',
        'hide contains a',
        'hide empty a',
        'hide less_than 1',
        'hide contains 1',
        'hide greater_than 0',
        'hide contains 0',
      ],
    ],
    ['shown above a negative number', text, ['show greater_than -5']],
    ['shown below a negative number', text, ['show less_than -5e50']],
    ['shown above a large number', text, ['show greater_than 1e50']],
    ['hidden by every number', text, ['hide less_than 1', 'hide greater_than 0']],
    ['shown without a value of a heading', heading, ['show not_equals a', 'hide not_empty']],
    ['shown by an option', select, ['show equals red', 'hide equals green', 'hide empty']],
    ['shown by a part of an option', select, ['show contains ee', 'hide equals red']],
    ['a select without options', { type: 'select' }, ['show equals grey']],
    [
      'a checkbox, which holds a list',
      { type: 'checkbox', options: COLOURS },
      ['show contains red', 'hide in red,green'],
    ],
    ['shown by two of several texts together', several, ['show equals a', 'hide not_equals b']],
    ['shown by several texts, one of which is in a list', several, ['show not_equals a', 'hide not_in a,b']],
    ['shown by a number among several', several, ['show greater_than 5', 'hide not_equals a', 'hide in 6']],
    ['shown by two options together', selects, ['show equals red', 'hide not_equals green']],
    ['shown without a value of several', several, ['show empty', 'hide not_empty']],
  ])('does not include: %s', (_, source, words) => {
    expect(neverVisible({ source, target: { conditions: conditionsOn('source', words) } })).toEqual([]);
  });

  it('is determined for each tested field separately', () => {
    const target = (...lines: [string, string][]) => ({
      a: text,
      b: text,
      target: { conditions: lines.flatMap(([code, line]) => conditionsOn(code, [line])) },
    });
    expect(neverVisible(target(['a', 'show equals x'], ['b', 'hide equals x']))).toEqual([]);
    expect(
      neverVisible(target(['a', 'show equals x'], ['b', 'hide equals x'], ['b', 'hide not_equals x'])),
    ).toEqual([expect.stringContaining('no matter what "b" holds')]);
    expect(
      neverVisible(target(['a', 'show equals x'], ['a', 'hide equals x'], ['b', 'show less_than x'])),
    ).toEqual([expect.stringContaining('no "show" condition')]);
    expect(
      neverVisible(target(['a', 'show equals x'], ['a', 'hide equals x'], ['b', 'hide equals x'])),
    ).toEqual([expect.stringContaining('no "show" condition')]);
    expect(
      neverVisible(target(['a', 'show equals x'], ['a', 'hide equals x'], ['b', 'show less_than 1'])),
    ).toEqual([]);
  });
});

describe('fields that show or hide each other in a cycle', () => {
  const dependsOn = (...codes: string[]): FieldPlan => ({
    conditions: codes.map((code) => [code, 'equals', 'x', 'show']),
  });
  const hiddenBy = (code: string, action: Action = 'hide'): FieldPlan => ({
    conditions: [[code, 'equals', 'x', action]],
  });

  it('get one warning, at the first field in the order of the file', () => {
    expect(warnings({ d: dependsOn('b'), b: hiddenBy('c'), a: dependsOn('b'), c: dependsOn('a') })).toEqual([
      'fields[1]: "b", "a", "c" show or hide each other in a cycle; remove the conditions of one of them on the others',
    ]);
  });

  it('get one warning for each cycle, also for a field that depends on itself', () => {
    expect(
      warnings({ a: dependsOn('a'), b: dependsOn('c', 'a'), c: dependsOn('b', 'c', 'd'), d: dependsOn('a') }),
    ).toEqual([
      'fields[0]: "a" is shown or hidden by its own value; remove its conditions on itself',
      expect.stringMatching(/^fields\[1\]: "b", "c" show or hide/),
    ]);
  });

  it('do not include fields that require each other, or that form a chain', () => {
    expect(warnings({ a: hiddenBy('b', 'require'), b: hiddenBy('a', 'require') })).toEqual([]);
    expect(warnings({ a: hiddenBy('b'), b: hiddenBy('a', 'require'), c: dependsOn('a', 'b') })).toEqual([]);
  });

  it('are listed up to the eighth', () => {
    const codes = Array.from({ length: 20 }, (_, index) => `field_${index}`);
    const plans = Object.fromEntries(codes.map((code, index) => [code, dependsOn(codes[(index + 1) % 20]!)]));
    expect(warnings(plans)).toEqual([expect.stringMatching(/"field_7" and 12 more show or hide/)]);
  });
});

it('lintForm() reports warnings with paths of the file, in the order of the file', () => {
  const definition = form({
    intro: heading,
    colour: select,
    size: {
      conditions: [
        ['colour', 'equals', 'grey', 'show'],
        ['intro', 'empty', '', 'require'],
      ],
    },
    shape: { conditions: [['shape', 'less_than', 'two', 'hide']] },
  });
  const [step] = definition.steps;
  expect(lint({ ...definition, steps: [{ ...step!, fields: [] }, step!] }).map(([path]) => path)).toEqual([
    'steps[1].fields[2].conditions[0].value',
    'steps[1].fields[2].conditions[1].depends_on_field_code',
    'steps[1].fields[2]',
    'steps[1].fields[3].conditions[0].value',
    'steps[1].fields[3]',
  ]);
});

type Words = readonly ConditionPlan[];

interface Containers {
  /** The fields of each step. */
  readonly steps: readonly Readonly<Record<string, FieldPlan & { readonly entity?: string }>>[];
  /** The conditions of steps, by step number. */
  readonly onSteps?: Readonly<Record<number, Words>>;
  /** The conditions of each entity. */
  readonly entities?: Readonly<Record<string, Words>>;
  readonly minRecords?: number;
}

/** Builds a form whose steps and entities have conditions. */
function formOf({ steps, onSteps = {}, entities = {}, minRecords }: Containers): FormDefinition {
  const plain = form(Object.assign({}, ...steps) as Record<string, FieldPlan>);
  const plans = Object.assign({}, ...steps) as Record<string, { entity?: string }>;
  const conditionsOf = (words: Words = []) =>
    words.map(([depends_on_field_code, operator, value, action]) => {
      return { depends_on_field_code, operator, value, action };
    });
  const fields = plain.steps[0]!.fields.map((field) => {
    const { entity } = plans[field.code]!;
    return entity === undefined ? field : { ...field, entity };
  });
  return {
    ...plain,
    entities: Object.entries(entities).map(([name, words]) => ({
      ...{ name, label: name, is_repeatable: false, conditions: conditionsOf(words) },
      ...(minRecords !== undefined && { min_records: minRecords }),
    })),
    steps: steps.map((codes, index) => ({
      ...plain.steps[0]!,
      step_number: index + 1,
      conditions: conditionsOf(onSteps[index + 1]),
      fields: fields.filter(({ code }) => code in codes),
    })),
  };
}

const linesOf = (containers: Containers) =>
  lint(formOf(containers)).map(([path, message]) => `${path}: ${message}`);

describe('a step or an entity with conditions', () => {
  const yes: Words = [['a', 'equals', 'yes', 'show']];

  it('gets no warning if it can be visible', () => {
    const steps: Containers['steps'] = [{ a: {} }, { b: { entity: 'e' } }];
    expect(linesOf({ steps, onSteps: { 2: yes }, entities: { e: yes }, minRecords: 0 })).toEqual([]);
  });

  it('gets a warning if it can never be visible', () => {
    const steps: Containers['steps'] = [{ a: {} }, { b: { entity: 'e' } }];
    const never: Words = [
      ['a', 'empty', '', 'hide'],
      ['a', 'not_empty', '', 'hide'],
    ];
    const why = 'a "hide" condition is met no matter what "a" holds';
    expect(linesOf({ steps, onSteps: { 2: never } })).toEqual([
      `steps[1]: step 2 can never be visible, because ${why}; change its conditions`,
    ]);
    expect(linesOf({ steps, entities: { e: never } })).toEqual([
      `entities[0]: entity "e" can never be visible, because ${why}; change its conditions`,
    ]);
    const shown: Words = [
      ['a', 'equals', 'yes', 'show'],
      ['a', 'equals', 'yes', 'hide'],
    ];
    expect(linesOf({ steps, onSteps: { 2: shown } })).toEqual([
      'steps[1]: step 2 can never be visible, because no "show" condition is ever met unless a "hide" condition is met too; change its conditions',
    ]);
  });

  it('that can never be visible makes min_records pointless (C14)', () => {
    const steps: Containers['steps'] = [{ a: {} }, { b: { entity: 'e', repeatable: true } }];
    const never: Words = [['intro', 'not_empty', '', 'show']];
    const lines = linesOf({
      steps: [{ ...steps[0], intro: heading }, steps[1]!],
      onSteps: { 2: never },
      entities: { e: [] },
      minRecords: 1,
    });
    expect(lines).toContain(
      'entities[0].min_records: has no effect, because no field of the entity can ever be visible',
    );
  });

  it('gets the warnings of conditions: a field for display only, a text that is not an option, no number', () => {
    const lines = linesOf({
      steps: [{ intro: heading, colour: select, size: {} }, { b: { entity: 'e' } }],
      onSteps: {
        2: [
          ['intro', 'empty', '', 'show'],
          ['colour', 'equals', 'grey', 'hide'],
        ],
      },
      entities: { e: [['size', 'less_than', 'two', 'hide']] },
    });
    expect(lines).toEqual([
      'steps[1].conditions[0].depends_on_field_code: must be the code of a field that can have a value, but ' +
        '"intro" is for display only and never has one',
      expect.stringMatching(/^steps\[1\]\.conditions\[1\]\.value: .*"grey"/),
      expect.stringMatching(/^entities\[0\]\.conditions\[0\]\.value: .*"two"/),
    ]);
  });

  it('gets a warning if one of its own fields shows or hides it', () => {
    const steps: Containers['steps'] = [{ a: {} }, { b: { entity: 'e' } }];
    const own: Words = [['b', 'equals', 'x', 'show']];
    const message =
      'is shown or hidden by the value of one of its own fields; remove its conditions on itself';
    expect(linesOf({ steps, onSteps: { 2: own } })).toEqual([`steps[1]: step 2 ${message}`]);
    expect(linesOf({ steps, entities: { e: own } })).toEqual([`entities[0]: entity "e" ${message}`]);
  });

  it.each<[string, Containers, string]>([
    [
      'two steps',
      { steps: [{ a: {} }, { b: {} }], onSteps: { 1: [['b', 'empty', '', 'hide']], 2: yes } },
      'steps[0]: step 1, step 2',
    ],
    [
      'a field and the step of another',
      {
        steps: [{ a: { conditions: [['b', 'equals', 'x', 'show']] } }, { b: {} }],
        onSteps: { 2: yes },
      },
      'steps[0].fields[0]: "a", step 2',
    ],
    [
      'a step and an entity',
      {
        steps: [{ a: { entity: 'e' } }, { b: {} }],
        onSteps: { 2: yes },
        entities: { e: [['b', 'empty', '', 'hide']] },
      },
      'steps[1]: step 2, entity "e"',
    ],
    [
      'a step, over a chain of fields',
      {
        steps: [
          { a: { conditions: [['c', 'equals', 'x', 'show']] } },
          { b: {}, c: { conditions: [['b', 'equals', 'x', 'show']] } },
        ],
        onSteps: { 2: yes },
      },
      'steps[0].fields[0]: "a", "c", step 2',
    ],
  ])('gets one warning for each cycle: %s', (_, containers, members) => {
    expect(linesOf(containers)).toEqual([
      `${members} show or hide each other in a cycle; remove the conditions of one of them on the others`,
    ]);
  });

  it('gets no warning about a cycle if its fields only require others, or if steps form a chain', () => {
    expect(
      linesOf({
        steps: [{ a: { conditions: [['b', 'equals', 'x', 'require']] } }, { b: {} }, { c: {} }],
        onSteps: { 2: yes, 3: [['b', 'equals', 'x', 'show']] },
      }),
    ).toEqual([]);
  });

  it('never shows a field of a container that lint reports as never visible', () => {
    let warned = 0;
    const condition: fc.Arbitrary<ConditionPlan> = fc.tuple(
      fc.constant('a'),
      fc.constantFrom(...OPERATORS),
      fc.constantFrom('', 'a', 'a,b', '1', '2'),
      fc.constantFrom<Action>('show', 'hide'),
    );
    fc.assert(
      fc.property(
        fc.array(condition, { minLength: 1, maxLength: 4 }),
        fc.array(fc.constantFrom('', 'a', 'b', 'ab', '1', '1.5', '3', 'x')),
        (conditions, contents) => {
          const lines = linesOf({ steps: [{ a: {} }, { b: {} }], onSteps: { 2: conditions } });
          if (!lines.some((line) => line.includes('step 2 can never be visible'))) return;
          warned += 1;
          const own = conditions.map(([, operator, value, action]) => ({
            ...{ dependsOnFieldId: 1, operator, value, action },
          }));
          const rules = compileRules([
            { id: 2, isRequired: false, conditions: [], containers: [{ conditions: own }] },
          ]);
          const shows = (content: string) => rules.resolveStates([[1, null, content]])[0]!.visible;
          expect(contents.filter(shows)).toEqual([]);
          expect(rules.resolveStates([])[0]!.visible).toBe(false);
        },
      ),
      { numRuns: 500 },
    );
    expect(warned).toBeGreaterThan(20);
  });
});

describe('random forms', () => {
  const TEXTS = ['', 'a', 'b', 'ab', 'a,b', ' b', '1', '1.0', ' 2', '-1', '1e1', '0', '5x', 'red', 'green'];
  const condition: fc.Arbitrary<ConditionPlan> = fc.tuple(
    fc.constant('source'),
    fc.constantFrom(...OPERATORS),
    fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...TEXTS) }, fc.double().map(String)),
    fc.constantFrom<Action>('show', 'hide'),
  );
  const source = fc.constantFrom(text, several, select, selects, heading, { ...several, type: 'checkbox' });
  const value = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...TEXTS) },
    fc.tuple(fc.constantFrom(...TEXTS), fc.constantFrom(...TEXTS, '0', '\n')).map((parts) => parts.join('')),
    fc.double().map(String),
    fc.string(),
  );

  /** Values that such a field can hold (V5, V8). Lint assumes that a select holds only its options. */
  function contentOf({ type, options, repeatable }: FieldPlan): fc.Arbitrary<string[]> {
    if (type === 'heading') return fc.constant([]);
    const held = options === undefined ? value : fc.constantFrom('', ...options);
    return fc.array(held, { maxLength: repeatable === true ? 4 : 1 });
  }

  it('never show a field that lint reports as never visible', () => {
    let warned = 0;
    fc.assert(
      fc.property(
        source.chain((plan) =>
          fc.record({
            plan: fc.constant(plan),
            conditions: fc.array(condition, { minLength: 1, maxLength: 5 }),
            contents: fc.array(contentOf(plan), { minLength: 20, maxLength: 20 }),
          }),
        ),
        ({ plan, conditions, contents }) => {
          if (neverVisible({ source: plan, target: { conditions } }).length === 0) return;
          warned += 1;
          const own = conditions.map(([, operator, text, action]) => {
            return { dependsOnFieldId: 1, operator, value: text, action };
          });
          const rules = compileRules([{ id: 2, isRequired: false, conditions: own }]);
          const shows = (content: string[]) =>
            rules.resolveStates(content.map((text) => [1, null, text]))[0]!.visible;
          expect({ plan, conditions, shownBy: contents.filter(shows) }).toEqual({
            plan,
            conditions,
            shownBy: [],
          });
        },
      ),
      { numRuns: 1_000 },
    );
    expect(warned).toBeGreaterThan(100);
  });
});

describe('the cost of looking for warnings', () => {
  /** A form with every kind of warning, a long cycle, and a select with many dependent fields. */
  function large(count: number): FormDefinition {
    const options = Array.from({ length: 50 }, (_, index) => `option_${index}`);
    const fields = Array.from({ length: count }, (_, index): [string, FieldPlan] => [
      `field_${index}`,
      {
        type: ['text', 'select', 'heading', 'number'][index % 4] ?? 'text',
        options: index % 4 === 1 ? options : [],
        conditions: [
          ['field_1', 'equals', 'option_49', 'show'],
          ['field_1', 'contains', 'grey', 'hide'],
          [`field_${(index + 1) % count}`, 'greater_than', '5', 'show'],
          [`field_${(index + 1) % count}`, 'less_than', '6', 'hide'],
        ],
      },
    ]);
    return form(Object.fromEntries(fields));
  }

  it('grows linearly with the number of fields', () => {
    const costOf = (count: number) => {
      const definition = large(count);
      return fastest(() => lint(definition));
    };
    // With 20 times the fields, a quadratic algorithm would take 400 times as long.
    expect(costOf(2_000)).toBeLessThan(100 * costOf(100));
  });
});

function fastest(run: () => unknown): number {
  const times = Array.from({ length: 5 }, () => {
    const start = performance.now();
    run();
    return performance.now() - start;
  });
  return Math.min(...times);
}

describe('a proof of work (P7)', () => {
  const plain = form({ name: {} });

  it('gets a warning if the form is not public', () => {
    expect(lint({ ...plain, proof_of_work: 50_000 })).toEqual([
      ['proof_of_work', 'has no effect, because the form is not public; set "access" to "public"'],
    ]);
  });

  it('gets no warning if the form is public, and a form that is not public needs none', () => {
    expect(lint({ ...plain, access: 'public', proof_of_work: 50_000 })).toEqual([]);
    expect(lint(plain)).toEqual([]);
  });
});
