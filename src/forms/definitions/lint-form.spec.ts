import fc from 'fast-check';
import { compileRules, type Action, type Operator, OPERATORS } from '../../rules/index.js';
import { FIRST_FIELD_TYPES } from '../field-types.js';
import { checkDefinition, namesIn } from './check-definition.js';
import type { FormDefinition } from './form-definition.js';
import { lintForm } from './lint-form.js';

/** The code of the field that is tested, operator, value, action. */
type ConditionPlan = readonly [string, Operator, string, Action];

interface FieldPlan {
  readonly type?: string;
  readonly repeatable?: boolean;
  readonly options?: readonly string[];
  readonly conditions?: readonly ConditionPlan[];
  readonly rules?: Readonly<Record<string, string>>;
}

/** A form of one step, as a file would bring it. */
function form(plans: Readonly<Record<string, FieldPlan>>): FormDefinition {
  const fields = Object.entries(plans).map(([code, plan]) => ({
    code,
    label: code,
    field_type: { name: plan.type ?? 'text' },
    is_repeatable: plan.repeatable ?? false,
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

/** Each as a line, with paths below the only step. */
const warnings = (plans: Readonly<Record<string, FieldPlan>>) =>
  lint(form(plans)).map(([path, message]) => `${path.replace(/^steps\[0\]\./, '')}: ${message}`);

/** What is said of a field that depends on a source with one condition, but for whether it can be visible. */
function valueWarnings(source: FieldPlan, operator: Operator, value: string): string[] {
  return warnings({ source, target: { conditions: [['source', operator, value, 'require']] } });
}

const COLOURS = ['red', 'green'];

describe('a rule that is never applied (J5)', () => {
  const MEANS_NOTHING = 'means nothing for values of this field; change or remove it';

  it.each<[string, FieldPlan, string[]]>([
    [
      'contradicts another',
      { type: 'number', rules: { min: '5', max: '4.9' } },
      [
        'fields[0].rules[0]: is never applied, because "min" contradicts max 4.9; change or remove it',
        'fields[0].rules[1]: is never applied, because "max" contradicts min 5; change or remove it',
      ],
    ],
    [
      'contradicts another of days',
      { type: 'date', rules: { max_date: 'today', min_date: 'today+1d' } },
      [
        'fields[0].rules[0]: is never applied, because "max_date" contradicts min_date today+1d; change or remove it',
        'fields[0].rules[1]: is never applied, because "min_date" contradicts max_date today; change or remove it',
      ],
    ],
    [
      'counts characters of a number',
      { type: 'number', rules: { min_length: '2', max: '9' } },
      [`fields[0].rules[0]: is never applied, because "min_length" ${MEANS_NOTHING}`],
    ],
    [
      'is of a choice',
      { type: 'select', options: ['a'], rules: { pattern: 'a' } },
      [`fields[0].rules[0]: is never applied, because "pattern" ${MEANS_NOTHING}`],
    ],
    [
      'is of a heading',
      { type: 'heading', rules: { min: '1' } },
      [`fields[0].rules[0]: is never applied, because "min" ${MEANS_NOTHING}`],
    ],
    [
      'nothing where each can be met',
      { type: 'text', rules: { min_length: '2', max_length: '2', pattern: 'a+' } },
      [],
    ],
  ])('is warned of: it %s', (_what, plan, expected) => {
    expect(warnings({ field: plan })).toEqual(expected);
  });
});

describe('options of a checkbox of which two selections would be stored as the same text', () => {
  it.each([
    [['Red', 'White', 'Red,White'], 2, '"Red,White" cannot be told from "Red", "White"'],
    [['a', 'a,b', 'c', 'b,c'], 1, '"a", "b,c" cannot be told from "a,b", "c"'],
    [['Red', ' Red'], 1, '"Red" cannot be told from " Red"'],
  ])('are warned of: %j', (options, index, which) => {
    expect(warnings({ field: { type: 'checkbox', options } })).toEqual([
      `fields[0].options[${index}].value: makes answers ambiguous, because a checkbox holds its options with commas ` +
        `between them, and ${which}; use values without commas`,
    ]);
  });

  it('are all right where each text can be read in one way, or where one option is chosen', () => {
    expect(warnings({ field: { type: 'checkbox', options: ['Red', 'White', 'Dark, warm'] } })).toEqual([]);
    expect(warnings({ field: { type: 'select', options: ['Red', 'White', 'Red,White'] } })).toEqual([]);
  });
});

describe('a condition on a field that is for display only', () => {
  it.each(['heading', 'paragraph'])('is warned of: %s (V8)', (type) => {
    expect(valueWarnings({ type }, 'not_empty', '')).toEqual([
      'fields[1].conditions[0].depends_on_field_code: must be the code of a field that can have a value, but ' +
        '"source" is for display only and never has one',
    ]);
  });
});

describe('a comparison with what is no number (C4)', () => {
  it.each<[Operator, string]>([
    ['greater_than', 'ten'],
    ['less_than', ''],
    ['less_than', '1,5'],
    ['greater_than', '0x10'],
  ])('is warned of: %s %j', (operator, value) => {
    expect(valueWarnings({ type: 'number' }, operator, value)).toEqual([
      `fields[1].conditions[0].value: must be a decimal number, because "${operator}" is never met otherwise, ` +
        `but is ${JSON.stringify(value)}`,
    ]);
  });

  it.each<[Operator, string]>([
    ['greater_than', ' -1.5e3 '],
    ['less_than', '.5'],
    ['equals', 'ten'],
  ])('is all right: %s %j', (operator, value) => {
    expect(valueWarnings({ type: 'number' }, operator, value)).toEqual([]);
  });
});

describe('a comparison with what is no option', () => {
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
  ])('is warned of: %s %j %s %j', (type, options, operator, value, foreign) => {
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
  ])('is all right: %s %j %s %j', (type, options, operator, value) => {
    expect(valueWarnings({ type, options }, operator, value)).toEqual([]);
  });

  it('names the first options where there are many', () => {
    const options = Array.from({ length: 300 }, (_, index) => `country_${index}`);
    expect(valueWarnings({ type: 'select', options }, 'equals', 'x'.repeat(100))).toEqual([
      `fields[1].conditions[0].value: must name options of "source" (${options
        .slice(0, 8)
        .map((option) => `"${option}"`)
        .join(', ')} and 292 more), but has "${'x'.repeat(79)}…`,
    ]);
  });
});

describe('a comparison of all that is checked', () => {
  it.each<Operator>(['equals', 'in', 'not_in'])('is warned of: %s', (operator) => {
    expect(valueWarnings({ type: 'checkbox', options: ['red', 'green', 'blue'] }, operator, 'red')).toEqual([
      'fields[1].conditions[0].operator: compares the whole value of "source", which lists all that is checked, as in ' +
        '"red,green"; use "contains" to ask for one option',
    ]);
  });

  it('is warned of beside what is no option', () => {
    expect(valueWarnings({ type: 'checkbox', options: COLOURS }, 'equals', 'grey')).toEqual([
      expect.stringContaining('.operator: compares the whole value'),
      expect.stringContaining('.value: must name options'),
    ]);
  });

  it.each<[string, string[], Operator]>([
    ['a checkbox with one option', ['red'], 'equals'],
    ['a checkbox without options', [], 'in'],
    ['one of the options', COLOURS, 'contains'],
    ['any of them', COLOURS, 'not_empty'],
  ])('is told from %s', (_, options, operator) => {
    expect(valueWarnings({ type: 'checkbox', options }, operator, 'red')).toEqual([]);
  });

  it.each(['select', 'radio', 'text'])('is told from that of a %s, which holds one option', (type) => {
    expect(valueWarnings({ type, options: COLOURS }, 'in', 'red')).toEqual([]);
  });
});

describe('an option that is part of another', () => {
  const ANIMALS = ['cat', 'caterpillar', 'dog', 'bobcat'];

  it.each([
    ['checkbox', 'give the options values of which none is part of another'],
    ['select', 'use "equals"'],
    ['radio', 'use "equals"'],
  ])('is warned of where a %s must contain it', (type, instead) => {
    expect(valueWarnings({ type, options: ANIMALS }, 'contains', 'cat')).toEqual([
      'fields[1].conditions[0].value: is part of other options of "source", too ("caterpillar", "bobcat"), and these meet ' +
        `"contains" as well; ${instead}`,
    ]);
  });

  it.each<[string, Operator, string]>([
    ['checkbox', 'contains', 'dog'],
    ['checkbox', 'contains', 'caterpillar'],
    ['checkbox', 'contains', 'cater'],
    ['checkbox', 'contains', 'cat,dog'],
    ['select', 'equals', 'cat'],
    ['text', 'contains', 'cat'],
  ])('is all right: %s %s %j', (type, operator, value) => {
    expect(valueWarnings({ type, options: ANIMALS }, operator, value)).toEqual([]);
  });
});

describe('a comparison with nothing', () => {
  it.each<[string, Operator, string, string]>([
    ['text', 'not_equals', '', 'is always met, even without a value'],
    ['text', 'not_in', '', 'is always met, even without a value'],
    ['text', 'not_in', ' ,', 'is always met, even without a value'],
    ['text', 'contains', '', 'is met by any value'],
    ['select', 'not_equals', '', 'is always met, even without a value'],
    ['checkbox', 'contains', '', 'is met by any value'],
  ])('is warned of: %s %s %j', (type, operator, value, what) => {
    expect(valueWarnings({ type, options: COLOURS }, operator, value)).toEqual([
      `fields[1].conditions[0].value: must not be empty, because "${operator}" then ${what}; use "not_empty" to ask ` +
        'for a value',
    ]);
  });

  it.each<[Operator, string]>([
    ['not_equals', ' '],
    ['contains', ','],
    ['empty', ''],
    ['not_empty', ''],
  ])('is told from %s %j', (operator, value) => {
    expect(valueWarnings({ type: 'text' }, operator, value)).toEqual([]);
  });
});

const text: FieldPlan = {};
const several: FieldPlan = { repeatable: true };
const select: FieldPlan = { type: 'select', options: COLOURS };
const selects: FieldPlan = { ...select, repeatable: true };
const heading: FieldPlan = { type: 'heading' };

/** Conditions on one field, as `show equals red`. */
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
    ['hidden when it is a text, and when it is not', text, ['hide equals a', 'hide not_equals a']],
    ['hidden within a list and without', text, ['hide in a, b', 'hide not_in b,a']],
    ['hidden by any text', text, ['hide contains ', 'hide empty']],
    ['hidden beside one text that is hidden', text, ['hide not_equals abc', 'hide contains b']],
    ['hidden beside one number that is hidden', text, ['hide not_equals 5', 'hide less_than 5.1']],
    ['hidden without a value, which a heading never has', heading, ['hide empty']],
    ['hidden by every option', select, ['hide in red,green', 'hide empty']],
    [
      'hidden by parts of every option, and numbers',
      { type: 'radio', options: ['a1', '5'] },
      ['hide contains a', 'hide greater_than 4', 'hide empty'],
    ],
    ['hidden beside every option', select, ['hide not_equals grey']],
  ])('by its "hide" conditions is warned of: %s', (_, source, words) => {
    expect(neverVisible({ source, target: { conditions: conditionsOn('source', words) } })).toEqual([
      'fields[1]: "target" can never be visible, because a "hide" condition is met whatever "source" holds; change its conditions',
    ]);
  });

  it.each<[string, FieldPlan, string[]]>([
    ['shown and hidden by a text', text, ['show equals a', 'hide equals a']],
    ['shown by a text that a list hides', text, ['show in a,b', 'hide in b,c,a']],
    [
      'shown by two texts, each hidden',
      text,
      ['show equals a', 'show equals bc', 'hide contains b', 'hide in a'],
    ],
    ['shown by a part that has a hidden part', text, ['show contains abc', 'hide contains b']],
    ['shown by a part, hidden by any value', text, ['show contains abc', 'hide not_empty']],
    ['shown by an empty list', text, ['show in , ,']],
    ['shown by an empty text', text, ['show equals ']],
    ['shown by what is no number', text, ['show greater_than many']],
    ['shown above and hidden above less', text, ['show greater_than 10', 'hide greater_than 9.99']],
    ['shown in a gap that is hidden', text, ['show less_than 3', 'hide less_than 5']],
    [
      'shown by numbers, all hidden',
      text,
      ['show greater_than 1', 'hide less_than 5', 'hide greater_than 4.9'],
    ],
    ['shown by a number whose text is none', text, ['show equals 5', 'hide greater_than 4.5']],
    ['shown by a number, and hidden but for a text', text, ['show greater_than 5', 'hide not_equals seven']],
    ['shown without a value and hidden by that', text, ['show empty', 'hide not_equals a']],
    ['shown by what a heading holds', heading, ['show not_empty', 'show contains ']],
    ['shown by no option', select, ['show equals grey', 'show greater_than 5', 'show contains rey']],
    ['shown by an option that is hidden', select, ['show contains re', 'hide in red,green']],
    [
      'shown by a number among options, and hidden by its text',
      { type: 'radio', options: ['a1', '5', '6'] },
      ['show greater_than 4', 'hide contains 5', 'hide equals 6'],
    ],
    ['shown by one of several texts that hides', several, ['show equals a', 'hide equals a']],
    ['shown by one of several beside one that must be', several, ['show not_equals a', 'hide not_equals a']],
    [
      'shown by several of a list, and hidden without one of it',
      several,
      ['show not_in a,b', 'show empty', 'hide not_in b,a'],
    ],
    ['shown by several options, each hidden', selects, ['show not_empty', 'hide contains re']],
  ])('by its "show" conditions is warned of: %s', (_, source, words) => {
    expect(neverVisible({ source, target: { conditions: conditionsOn('source', words) } })).toEqual([
      expect.stringMatching(
        /^fields\[1\]: "target" can never be visible, because no "show" condition is ever met( without a "hide" condition)?; change/,
      ),
    ]);
  });

  it.each<[string, FieldPlan, string[]]>([
    ['no conditions', text, []],
    ['a "require" alone', text, ['require empty', 'require not_empty']],
    ['shown by a text, hidden by another', text, ['show equals a', 'hide equals A']],
    ['shown by one of two texts', text, ['show equals a', 'show equals b', 'hide equals a']],
    ['shown by a part, hidden by that alone', text, ['show contains a', 'hide equals a']],
    ['shown by a part, hidden by a longer one', text, ['show contains b', 'hide contains abc']],
    ['shown by a number as a part', text, ['show contains 5', 'hide less_than 9', 'hide greater_than 1']],
    ['shown between two numbers', text, ['show greater_than 5', 'hide greater_than 5.0000001']],
    ['shown between two negative ones', text, ['show less_than -5', 'hide less_than -5.0000001']],
    ['shown between 0 and next to it', text, ['show greater_than 0', 'hide greater_than 1e-99']],
    ['shown below 0 and next to it', text, ['show less_than 0', 'hide less_than -1e-99']],
    ['shown at 0 alone', text, ['show greater_than -1e-9', 'hide less_than 0', 'hide greater_than 0']],
    [
      'shown by one number in another spelling',
      text,
      ['show greater_than 4', 'hide less_than 5', 'hide greater_than 5', 'hide in 5,5.0,05,+5,5e0'],
    ],
    [
      'shown between numbers of many digits',
      text,
      ['show greater_than 1e999999999999', 'hide greater_than 1000000000.1e999999999990'],
    ],
    [
      'shown by a number without a 5, which is not searched',
      text,
      ['show greater_than 5', 'hide contains 5'],
    ],
    [
      'and all numbers hidden by a digit, which is not searched',
      text,
      ['show greater_than 5', 'hide greater_than 5.5', 'hide contains 5', 'hide contains .'],
    ],
    [
      'hidden by whatever is mentioned',
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
    ['hidden by all numbers', text, ['hide less_than 1', 'hide greater_than 0']],
    ['shown when a heading holds nothing', heading, ['show not_equals a', 'hide not_empty']],
    ['shown by an option', select, ['show equals red', 'hide equals green', 'hide empty']],
    ['shown by a part of an option', select, ['show contains ee', 'hide equals red']],
    ['a select without options', { type: 'select' }, ['show equals grey']],
    [
      'a checkbox, which holds a list',
      { type: 'checkbox', options: COLOURS },
      ['show contains red', 'hide in red,green'],
    ],
    ['shown by two of several texts', several, ['show equals a', 'hide not_equals b']],
    ['shown by one of several that is not in a list', several, ['show not_equals a', 'hide not_in a,b']],
    ['shown by a number among several', several, ['show greater_than 5', 'hide not_equals a', 'hide in 6']],
    ['shown by two options', selects, ['show equals red', 'hide not_equals green']],
    ['shown without any of several', several, ['show empty', 'hide not_empty']],
  ])('is told from: %s', (_, source, words) => {
    expect(neverVisible({ source, target: { conditions: conditionsOn('source', words) } })).toEqual([]);
  });

  it('depends on each field that its conditions name by itself', () => {
    const target = (...lines: [string, string][]) => ({
      a: text,
      b: text,
      target: { conditions: lines.flatMap(([code, line]) => conditionsOn(code, [line])) },
    });
    expect(neverVisible(target(['a', 'show equals x'], ['b', 'hide equals x']))).toEqual([]);
    expect(
      neverVisible(target(['a', 'show equals x'], ['b', 'hide equals x'], ['b', 'hide not_equals x'])),
    ).toEqual([expect.stringContaining('whatever "b" holds')]);
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

describe('fields that show or hide each other in a circle', () => {
  const dependsOn = (...codes: string[]): FieldPlan => ({
    conditions: codes.map((code) => [code, 'equals', 'x', 'show']),
  });
  const hiddenBy = (code: string, action: Action = 'hide'): FieldPlan => ({
    conditions: [[code, 'equals', 'x', action]],
  });

  it('are warned of at the first one, in the order of the file', () => {
    expect(warnings({ d: dependsOn('b'), b: hiddenBy('c'), a: dependsOn('b'), c: dependsOn('a') })).toEqual([
      'fields[1]: "b", "a", "c" show or hide each other in a circle; remove the conditions of one of them on the others',
    ]);
  });

  it('are warned of once for each circle, a field on its own among them', () => {
    expect(
      warnings({ a: dependsOn('a'), b: dependsOn('c', 'a'), c: dependsOn('b', 'c', 'd'), d: dependsOn('a') }),
    ).toEqual([
      'fields[0]: "a" is shown or hidden by its own value; remove its conditions on itself',
      expect.stringMatching(/^fields\[1\]: "b", "c" show or hide/),
    ]);
  });

  it('are not those that require each other, or that form a chain', () => {
    expect(warnings({ a: hiddenBy('b', 'require'), b: hiddenBy('a', 'require') })).toEqual([]);
    expect(warnings({ a: hiddenBy('b'), b: hiddenBy('a', 'require'), c: dependsOn('a', 'b') })).toEqual([]);
  });

  it('are named up to eight', () => {
    const codes = Array.from({ length: 20 }, (_, index) => `field_${index}`);
    const plans = Object.fromEntries(codes.map((code, index) => [code, dependsOn(codes[(index + 1) % 20]!)]));
    expect(warnings(plans)).toEqual([expect.stringMatching(/"field_7" and 12 more show or hide/)]);
  });
});

it('warnings have the path of the file and come in its order', () => {
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

  /** What such a field can hold (V5, V8), as far as lint goes: of a select, its options alone. */
  function contentOf({ type, options, repeatable }: FieldPlan): fc.Arbitrary<string[]> {
    if (type === 'heading') return fc.constant([]);
    const held = options === undefined ? value : fc.constantFrom('', ...options);
    return fc.array(held, { maxLength: repeatable === true ? 4 : 1 });
  }

  it('never show a field of which is said that it can never be visible', () => {
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
  /** Every kind of warning, a long circle, and options that many fields depend on. */
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

  it('grows with the number of fields, not with its square', () => {
    const costOf = (count: number) => {
      const definition = large(count);
      return fastest(() => lint(definition));
    };
    // Twenty times the fields: the square would cost 400 times as much.
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
