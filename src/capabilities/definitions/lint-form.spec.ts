import {
  type FieldPlan,
  type FormPlan,
  neverVisible,
  neverVisibleProperty,
  warnings,
  warningsOf,
} from '../../../test/support/linted-form.js';
import { OPERATORS } from '../../conditions/engine/index.js';

const text: FieldPlan = {};
const number: FieldPlan = { type: 'number' };
const several: FieldPlan = { repeatable: true };
const select: FieldPlan = { type: 'select', options: ['red', 'green'] };
const radio: FieldPlan = { ...select, type: 'radio' };
const checkbox: FieldPlan = { ...select, type: 'checkbox' };
const selects: FieldPlan = { ...select, repeatable: true };
const heading: FieldPlan = { type: 'heading' };
const mixed: FieldPlan = { type: 'radio', options: ['a1', '5', '6'] };

describe('warnings about a field', () => {
  const UNFIT = 'does not apply to values of this field; change or remove it';
  const files = (key: string) => `${key}: has no effect, because a "text-input" holds no files; remove it`;
  const ambiguous = (index: number, value: string) =>
    `options[${index}].value: makes stored values ambiguous, because a checkbox joins its options with commas, and ` +
    `"${value}" reads like several options too; use option values without commas`;

  it.each<[string, FieldPlan, string[]]>([
    [
      'a rule that contradicts another (J5)',
      { type: 'date', rules: { max_date: 'today', min_date: 'today+1d' } },
      [
        'rules[0]: is never applied, because "max_date" contradicts min_date today+1d; change or remove it',
        'rules[1]: is never applied, because "min_date" contradicts max_date today; change or remove it',
      ],
    ],
    [
      'a length of a number (J5)',
      { type: 'number', rules: { min_length: '2', max: '9' } },
      [`rules[0]: is never applied, because "min_length" ${UNFIT}`],
    ],
    [
      'a rule of a heading (J5)',
      { type: 'heading', rules: { min: '1' } },
      [`rules[0]: is never applied, because "min" ${UNFIT}`],
    ],
    [
      'a pattern without a message',
      { rules: { max_length: '4', pattern: '[0-9]{4}' } },
      ['rules[1].message: is missing, so nobody learns what to enter; add it, such as "Enter 4 digits."'],
    ],
    [
      'no second warning about a pattern that is never applied',
      { type: 'heading', rules: { pattern: 'a' } },
      [`rules[0]: is never applied, because "pattern" ${UNFIT}`],
    ],
    ['no warning if all rules can be met', { rules: { min_length: '2', max_length: '2' } }, []],
    ['files that it does not hold (U5)', { accept: 'image/*' }, [files('accept')]],
    [
      'an option that reads like two others',
      { type: 'checkbox', options: ['Red', 'White', 'Red,White'] },
      [ambiguous(2, 'Red,White')],
    ],
    ['no warning about a comma alone', { type: 'checkbox', options: ['Red', 'White', 'Dark, warm'] }, []],
    ['no warning about a single choice', { type: 'select', options: ['Red', 'White', 'Red,White'] }, []],
  ])('include %s', (_what, plan, expected) => {
    expect(warnings({ field: plan })).toEqual(expected.map((line) => `fields[0].${line}`));
  });
});

describe('a condition', () => {
  const DISPLAY =
    'depends_on_field_code: must be the code of a field that can have a value, but "source" is for display only and never has one';
  const noNumber = (operator: string, value: string) =>
    `value: must be a decimal number, because "${operator}" is never met otherwise, but is ${value}`;
  const foreign = (value: string, options = '"red", "green"') =>
    `value: must name options of "source" (${options}), but has ${value}`;
  const whole = (list: string) =>
    `operator: compares the whole value of "source", which lists all checked options, such as "${list}"; ` +
    'use "includes" to test for one option';
  const part = (others: string, instead: string) =>
    `value: is also part of other options of "source" (${others}), which meet "contains" too; ${instead}`;
  const empty = (operator: string, what: string) =>
    `value: must not be empty: an empty value makes "${operator}" ${what}; use "not_empty" to test for a value`;
  const ALWAYS = 'always true';
  const animals = (type: string): FieldPlan => ({ type, options: ['cat', 'caterpillar', 'dog', 'bobcat'] });

  it.each<[FieldPlan, string, string[]]>([
    [heading, 'not_empty', [DISPLAY]],
    [{ type: 'paragraph' }, 'not_empty', [DISPLAY]],
    [number, 'greater_than ten', [noNumber('greater_than', '"ten"')]],
    [number, 'less_than', [noNumber('less_than', '""')]],
    [number, 'less_than 1,5', [noNumber('less_than', '"1,5"')]],
    [select, 'equals grey', [foreign('"grey"')]],
    [radio, 'not_equals Red', [foreign('"Red"')]],
    [select, 'equals', [foreign('""')]],
    [select, 'equals red,green', [foreign('"red,green"')]],
    [select, 'in red, grey,, pink', [foreign('"grey", "pink"')]],
    [radio, 'not_in grey', [foreign('"grey"')]],
    [select, 'contains reen,', [foreign('"reen,"')]],
    [{ type: 'select', options: [' red'] }, 'in  red', [foreign('"red"', '" red"')]],
    [checkbox, 'not_equals red,grey', [foreign('"grey"')]],
    [checkbox, 'contains ed, grey', [foreign('"grey"')]],
    [checkbox, 'equals grey', [whole('red,green'), foreign('"grey"')]],
    [checkbox, 'in red', [whole('red,green')]],
    [checkbox, 'not_in red', [whole('red,green')]],
    [animals('checkbox'), 'contains cat', [part('"caterpillar", "bobcat"', 'use "includes"')]],
    [animals('select'), 'contains cat', [part('"caterpillar", "bobcat"', 'use "equals"')]],
    [animals('radio'), 'contains cat', [part('"caterpillar", "bobcat"', 'use "equals"')]],
    [text, 'not_equals', [empty('not_equals', ALWAYS)]],
    [text, 'not_in  ,', [empty('not_in', ALWAYS)]],
    [text, 'contains', [empty('contains', 'true for any value')]],
    [select, 'not_equals', [empty('not_equals', ALWAYS)]],
    [checkbox, 'contains', [empty('contains', 'true for any value')]],
  ])('on %j gets a warning (C4, V8): %s', (source, words, expected) => {
    const [operator, ...value] = words.split(' ');
    const condition = `require source ${operator} ${value.join(' ')}`;
    expect(warnings({ source, target: { conditions: [condition] } })).toEqual(
      expected.map((line) => `fields[1].conditions[0].${line}`),
    );
  });

  it.each<[FieldPlan, ...string[]]>([
    [text, 'equals grey', 'in red', 'not_equals  ', 'contains ,', 'contains cat', 'empty', 'not_empty'],
    [number, 'greater_than  -1.5e3 ', 'less_than .5', 'equals ten'],
    [select, 'equals red', 'in  red ,, green', 'in', 'contains ree', 'empty grey', 'not_empty grey'],
    [{ type: 'select' }, 'equals grey'],
    [{ type: 'select', options: ['', 'a'] }, 'equals'],
    [{ type: 'checkbox' }, 'equals true', 'in red'],
    [{ type: 'checkbox', options: ['red'] }, 'equals red'],
    [checkbox, 'not_equals green, red', 'contains d,gre', 'contains red', 'not_empty red'],
    [{ type: 'checkbox', options: ['a,b', 'c'] }, 'not_equals c,a,b'],
    [{ type: 'checkbox', options: [' a '] }, 'equals  a ,a'],
    [animals('checkbox'), 'contains dog', 'contains caterpillar', 'contains cater', 'contains cat,dog'],
    [animals('select'), 'equals cat'],
  ])('on %j gets no warning: %s', (source, ...all) => {
    for (const words of all)
      expect([words, warnings({ source, target: { conditions: [`require source ${words}`] } })]).toEqual([
        words,
        [],
      ]);
  });

  it('gets a warning that lists only the first options', () => {
    const options = Array.from({ length: 300 }, (_, index) => `country_${index}`);
    const conditions = [`require source equals ${'x'.repeat(100)}`];
    const first = options.slice(0, 8).map((option) => `"${option}"`);
    expect(warnings({ source: { type: 'select', options }, target: { conditions } })).toEqual([
      `fields[1].conditions[0].${foreign(`"${'x'.repeat(79)}…`, `${first.join(', ')} and 292 more`)}`,
    ]);
  });
});

describe('a retired field (N6)', () => {
  const retired: FieldPlan = { retired: true };

  it('gives a warning to conditions that test it', () => {
    const target: FieldPlan = { conditions: ['require source equals x'] };
    expect(warnings({ source: {}, target })).toEqual([]);
    expect(warnings({ source: retired, target })).toEqual([
      'fields[1].conditions[0].depends_on_field_code: is never met, because "source" is retired; test another field, or remove the condition',
    ]);
  });

  it('hides for good what only conditions on it show, and takes part in no cycle', () => {
    const visibility = (condition: string, source: FieldPlan = {}) =>
      warnings({ source: { ...source, ...retired }, target: { conditions: [condition] } }).filter((line) =>
        line.startsWith('fields[1]: '),
      );
    for (const operator of OPERATORS)
      expect(visibility(`show source ${operator} x`)).toEqual([
        'fields[1]: "target" can never be visible, because no "show" condition is ever met; change its conditions',
      ]);
    expect(visibility('hide source empty')).toEqual([]);
    expect(visibility('hide source equals x', { conditions: ['show target equals x'] })).toEqual([]);
    const other = { conditions: ['show source equals x', 'show third equals x'] };
    expect(warnings({ source: retired, target: other, third: {} })).toHaveLength(1);
  });

  it('gets no warnings itself', () => {
    const target: FieldPlan = { options: [' '], conditions: ['show source less_than ten'] };
    expect(warnings({ source: {}, target })).not.toEqual([]);
    expect(warnings({ source: {}, target: { ...target, ...retired } })).toEqual([]);
  });
});

describe('a field that can never be visible', () => {
  const onSource = (words: string) => words.split('; ').map((one) => one.replace(' ', ' source '));

  it.each<[string, FieldPlan, string]>([
    ['with and without a value', text, 'hide empty; hide not_empty'],
    ['a text and all others', text, 'hide equals a; hide not_equals a'],
    ['a list and all texts outside it', text, 'hide in a, b; hide not_in b,a'],
    ['all texts but one, and that one', text, 'hide not_equals abc; hide contains b'],
    ['all values but a number, and that number', text, 'hide not_equals 5; hide less_than 5.1'],
    ['no value, because a heading never has one', heading, 'hide empty'],
    ['every option', select, 'hide in red,green; hide empty'],
    ['a part of one option, and numbers', mixed, 'hide contains a; hide greater_than 4; hide empty'],
    ['all values but a text that is not an option', select, 'hide not_equals grey'],
  ])('because "hide" conditions are met gets a warning: %s', (_, source, words) => {
    expect(neverVisible(source, onSource(words))).toEqual([
      'fields[1]: "target" can never be visible, because a "hide" condition is met no matter what "source" holds; change its conditions',
    ]);
  });

  it.each<[string, FieldPlan, string]>([
    ['the same text hides it', text, 'show equals a; hide equals a'],
    ['a list hides it', text, 'show in a,b; hide in b,c,a'],
    ['a part that contains a hidden part', text, 'show contains abc; hide contains b'],
    ['an empty list', text, 'show in , ,'],
    ['an empty text', text, 'show equals'],
    ['a comparison with a text', text, 'show greater_than many'],
    ['above 10, and hidden above 9.99', text, 'show greater_than 10; hide greater_than 9.99'],
    ['numbers, all hidden', text, 'show greater_than 1; hide less_than 5; hide greater_than 4.9'],
    ['a text that is hidden as a number', text, 'show equals 5; hide greater_than 4.5'],
    ['a number, and hidden by all but a text', text, 'show greater_than 5; hide not_equals seven'],
    ['no value, which hides it', text, 'show empty; hide not_equals a'],
    ['the value of a heading', heading, 'show not_empty; show contains'],
    ['texts that are not options', select, 'show equals grey; show greater_than 5; show contains rey'],
    ['numbers that are hidden as texts', mixed, 'show greater_than 4; hide contains 5; hide equals 6'],
    ['the same one of several texts hides it', several, 'show equals a; hide equals a'],
    ['no value is "a", which hides it', several, 'show not_equals a; hide not_equals a'],
    ['no value is in a list, which hides it', several, 'show not_in a,b; show empty; hide not_in b,a'],
    ['several options that are all hidden', selects, 'show not_empty; hide contains re'],
  ])('because no "show" condition can decide gets a warning: %s', (_, source, words) => {
    const unless = words.includes('hide') ? ' unless a "hide" condition is met too' : '';
    expect(neverVisible(source, onSource(words))).toEqual([
      `fields[1]: "target" can never be visible, because no "show" condition is ever met${unless}; change its conditions`,
    ]);
  });

  // The property below has further cases, with random conditions.
  it.each<[string, FieldPlan, string]>([
    ['only "require" conditions', text, 'require empty; require not_empty'],
    ['a digit in a text', text, 'show contains 5; hide less_than 9; hide greater_than 1'],
    ['between two numbers', text, 'show greater_than 5; hide greater_than 5.0000001'],
    ['just above 0', text, 'show greater_than 0; hide greater_than 1e-99'],
    ['only at 0', text, 'show greater_than -1e-9; hide less_than 0; hide greater_than 0'],
    [
      'another spelling of a hidden number',
      text,
      'show greater_than 4; hide less_than 5; hide greater_than 5; hide in 5,5.0,05,+5,5e0',
    ],
    ['numbers of many digits', text, 'show greater_than 1e999999999; hide greater_than 1000.1e999999996'],
    ['a number without the digit 5 (not searched)', text, 'show greater_than 5; hide contains 5'],
    [
      'any text that no condition mentions',
      text,
      'show not_equals a; hide contains a; hide empty a; hide less_than 1; hide contains 1; hide greater_than 0; hide contains 0',
    ],
    ['below a large negative number', text, 'show less_than -5e50'],
    ['above a large number', text, 'show greater_than 1e50'],
    ['no value of a heading', heading, 'show not_equals a; hide not_empty'],
    ['a select without options', { type: 'select' }, 'show equals grey'],
    ['a checkbox, which holds a list', checkbox, 'show contains red; hide in red,green'],
    ['two of several texts together', several, 'show equals a; hide not_equals b'],
  ])('does not include a field that can be shown by: %s', (_, source, words) => {
    expect(neverVisible(source, onSource(words))).toEqual([]);
  });

  it('is determined for each tested field separately', () => {
    const warned = (...conditions: string[]) => warnings({ a: {}, b: {}, target: { conditions } });
    const HIDDEN = expect.stringContaining('no matter what "b" holds');
    const NOT_SHOWN = expect.stringContaining('no "show" condition is ever met unless');
    const own = ['show a equals x', 'hide a equals x'];
    expect(warned('show a equals x', 'hide b equals x')).toEqual([]);
    expect(warned('show a equals x', 'hide b equals x', 'hide b not_equals x')).toEqual([HIDDEN]);
    expect(warned(...own, 'show b equals')).toEqual([NOT_SHOWN]);
    expect(warned(...own, 'hide b equals x')).toEqual([NOT_SHOWN]);
    expect(warned(...own, 'show b less_than 1')).toEqual([]);
  });

  it('is not shown by any values', () => neverVisibleProperty(100));
});

describe('fields, steps and entities that show or hide each other in a cycle', () => {
  const CYCLE = 'show or hide each other in a cycle; remove the conditions of one of them on the others';
  const shownBy = (...codes: string[]): FieldPlan => ({
    conditions: codes.map((code) => `show ${code} equals x`),
  });
  const onB = ['show b equals x'];

  it.each<[string, FormPlan, string[]]>([
    [
      'three fields, at the first in the order of the file',
      {
        steps: [
          { d: shownBy('b'), b: { conditions: ['hide c equals x'] }, a: shownBy('b'), c: shownBy('a') },
        ],
      },
      [`steps[0].fields[1]: "b", "a", "c" ${CYCLE}`],
    ],
    [
      'two cycles, one of a field that depends on itself',
      { steps: [{ a: shownBy('a'), b: shownBy('c', 'a'), c: shownBy('b', 'c', 'd'), d: shownBy('a') }] },
      [
        'steps[0].fields[0]: "a" is shown or hidden by its own value; remove its conditions on itself',
        `steps[0].fields[1]: "b", "c" ${CYCLE}`,
      ],
    ],
    [
      'two steps',
      { steps: [{ a: {} }, { b: {} }], onSteps: { 1: onB, 2: ['show a equals x'] } },
      [`steps[0]: step 1, step 2 ${CYCLE}`],
    ],
    [
      'a step, over a chain of fields',
      { steps: [{ a: shownBy('c') }, { b: {}, c: shownBy('b') }], onSteps: { 2: ['show a equals x'] } },
      [`steps[0].fields[0]: "a", "c", step 2 ${CYCLE}`],
    ],
    [
      'a step and an entity',
      {
        steps: [{ a: { entity: 'e' } }, { b: {} }],
        onSteps: { 2: ['show a equals x'] },
        entities: { e: ['hide b empty'] },
      },
      [`steps[1]: step 2, entity "e" ${CYCLE}`],
    ],
    [
      'a step and one of its own fields',
      { steps: [{ a: {} }, { b: {} }], onSteps: { 2: onB } },
      [
        'steps[1]: step 2 is shown or hidden by the value of one of its own fields; remove its conditions on itself',
      ],
    ],
    [
      'no fields that only require each other',
      { steps: [{ a: { conditions: ['require b equals x'] }, b: { conditions: ['require a equals x'] } }] },
      [],
    ],
    [
      'no chain of steps',
      {
        steps: [{ a: { conditions: ['require b equals x'] } }, { b: {} }, { c: {} }],
        onSteps: { 2: ['show a equals x'], 3: onB },
      },
      [],
    ],
  ])('get a warning: %s', (_, plan, expected) => {
    expect(warningsOf(plan)).toEqual(expected);
  });

  it('are listed up to the eighth', () => {
    const codes = Array.from({ length: 20 }, (_, index) => `field_${index}`);
    const plans = Object.fromEntries(codes.map((code, index) => [code, shownBy(codes[(index + 1) % 20]!)]));
    expect(warnings(plans)).toEqual([expect.stringMatching(/"field_7" and 12 more show or hide/)]);
  });
});

describe('a step or an entity with conditions', () => {
  const steps: FormPlan['steps'] = [{ a: {}, intro: heading, colour: select }, { b: { entity: 'e' } }];
  const yes = ['show a equals yes'];
  const always = ['hide a empty', 'hide a not_empty'];
  const WHY = 'because a "hide" condition is met no matter what "a" holds; change its conditions';

  it.each<[string, Omit<FormPlan, 'steps'>, string[]]>([
    [
      'none if it can be visible',
      { onSteps: { 2: yes }, entities: { e: yes }, entity: { min_records: 0 } },
      [],
    ],
    [
      'if a step can never be visible',
      { onSteps: { 2: always }, entities: { e: [] } },
      [`steps[1]: step 2 can never be visible, ${WHY}`],
    ],
    [
      'if an entity can never be visible',
      { entities: { e: always } },
      [`entities[0]: entity "e" can never be visible, ${WHY}`],
    ],
    [
      'if its min_records have no effect then (C14)',
      { onSteps: { 2: always }, entities: { e: [] }, entity: { min_records: 1 } },
      [
        `steps[1]: step 2 can never be visible, ${WHY}`,
        'entities[0].min_records: has no effect, because no field of the entity can ever be visible',
      ],
    ],
    [
      'for its conditions',
      {
        onSteps: { 2: ['show intro empty', 'hide colour equals grey'] },
        entities: { e: ['hide a less_than two'] },
      },
      [
        expect.stringMatching(
          /^steps\[1\]\.conditions\[0\]\.depends_on_field_code: .*"intro" is for display only/,
        ),
        expect.stringMatching(/^steps\[1\]\.conditions\[1\]\.value: .*"grey"/),
        expect.stringMatching(/^entities\[0\]\.conditions\[0\]\.value: .*"two"/),
      ],
    ],
    [
      'if all records of a repeatable entity share a value',
      { entities: { e: [] }, entity: { is_repeatable: true } },
      [expect.stringMatching(/^steps\[1\]\.fields\[0\]\.is_repeatable: should be true, because/)],
    ],
  ])('gets warnings: %s', (_, plan, expected) => {
    expect(warningsOf({ entities: { e: [] }, steps, ...plan })).toEqual(expected);
  });
});

it('warnings have paths of the file, and those about a field stand together, in the order of the file', () => {
  const size: FieldPlan = { conditions: ['show colour equals grey', 'require intro empty'] };
  const shape: FieldPlan = { conditions: ['hide shape less_than two'] };
  const lines = warningsOf({ steps: [{}, { intro: heading, colour: select, size, shape }] });
  expect(lines.map((line) => line.split(': ')[0])).toEqual([
    'steps[1].fields[2].conditions[0].value',
    'steps[1].fields[2].conditions[1].depends_on_field_code',
    'steps[1].fields[2]',
    'steps[1].fields[3].conditions[0].value',
    'steps[1].fields[3]',
  ]);
});

it('a proof of work gets a warning if the form is not public (P7)', () => {
  const lint = (form: object) => warningsOf({ steps: [{ name: {} }], form });
  expect(lint({ proof_of_work: 50_000 })).toEqual([
    'proof_of_work: has no effect, because the form is not public; set "access" to "public"',
  ]);
  expect([lint({ access: 'public', proof_of_work: 50_000 }), lint({})]).toEqual([[], []]);
});

it('places get a warning where a field holds no choices (D6)', () => {
  const lint = (type: string) => warningsOf({ steps: [{ f: { type, options: ['a'], places: 5 } }] });
  expect(lint('text')).toEqual([
    'steps[0].fields[0].options[0].places: has no effect, because a "text-input" holds no choices; remove it',
  ]);
  expect(['radio', 'select', 'checkbox'].flatMap(lint)).toEqual([]);
});

describe('translations get a warning (L5)', () => {
  const lint = (form: object) => warningsOf({ steps: [{}], form });
  const german = { name: 'Umfrage', description: 'Kurz' };

  it('without the language of the form', () => {
    expect(lint({ translations: { de: { name: 'Umfrage' } } })).toContain(
      'locale: is missing, although the form has translations; say the language of its own texts, such as "en"',
    );
  });

  it('if texts are missing in a language, and not if a shorter tag has them', () => {
    const form = { locale: 'en', description: 'Short', translations: { de: { name: 'Umfrage' } } };
    expect(lint(form)).toEqual([
      'translations.de: lacks 2 texts of the form, such as description; add them, or people see these in another language',
    ]);
    const translations = { de: german, 'de-AT': { name: 'Befragung' } };
    expect(lint({ ...form, translations })).toEqual(
      ['.de', '["de-AT"]'].map(
        (key) =>
          `translations${key}: lacks 1 text of the form, steps[0].title; add them, or people see these in another language`,
      ),
    );
  });

  it('if the form has no such text', () => {
    expect(lint({ locale: 'en', translations: { de: german } })).toContain(
      'translations.de.description: has no effect, because there is no description to translate; add the description in "en", or remove this key',
    );
  });
});
