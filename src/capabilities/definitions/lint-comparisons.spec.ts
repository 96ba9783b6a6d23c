import { type FieldPlan, neverVisible, warnings, warningsOf } from '../../../test/support/linted-form.js';

const number: FieldPlan = { type: 'number' };
const date: FieldPlan = { type: 'date' };
const select: FieldPlan = { type: 'select', options: ['red', 'dark red'] };
const checkbox: FieldPlan = { ...select, type: 'checkbox' };

/** The warnings about the conditions of a field, without the paths of the conditions. */
const aboutConditions = (fields: Record<string, FieldPlan>, ...conditions: string[]) => {
  const own = Object.keys(fields).length;
  return warnings({ ...fields, target: { conditions } })
    .filter((line) => line.startsWith(`fields[${own}].conditions`))
    .map((line) => line.replace(`fields[${own}].`, ''));
};

/** Leaves out the warnings about personal data, which `lint-personal.spec.ts` tests. */
const withoutPersonal = (lines: readonly string[]) =>
  lines.filter((line) => !line.includes('.is_personal: '));

describe('a condition with a date, a choice or a number', () => {
  const noDate = (operator: string, value: string) =>
    `value: must be a date such as 2030-12-31, today, today+30d or today-18y, because "${operator}" is never met otherwise, but is "${value}"`;

  it.each<[FieldPlan, string, string[]]>([
    [date, 'before tomorrow', [noDate('before', 'tomorrow')]],
    [date, 'on_or_after 2026-02-29', [noDate('on_or_after', '2026-02-29')]],
    [date, 'after today-99999y', [noDate('after', 'today-99999y')]],
    [date, 'on_or_before', [noDate('on_or_before', '')]],
    [
      number,
      'at_least 1,5',
      ['value: must be a decimal number, because "at_least" is never met otherwise, but is "1,5"'],
    ],
    [checkbox, 'includes grey', ['value: must name options of "source" ("red", "dark red"), but has "grey"']],
    [
      checkbox,
      'not_includes',
      [
        'value: must not be empty: an empty value makes "not_includes" always true; use "not_empty" to test for a value',
      ],
    ],
    [
      select,
      'includes red',
      ['operator: tests a list of options, but "source" holds one option; use "equals"'],
    ],
    [{}, 'not_includes red', ['operator: tests for an option, but "source" has none; use "not_contains"']],
    [
      checkbox,
      'not_contains red',
      [
        'value: is also part of other options of "source" ("dark red"), which do not meet "not_contains" either; use "not_includes"',
      ],
    ],
    [
      {},
      'not_contains',
      [
        'value: must not be empty: an empty value makes "not_contains" false for any value; use "empty" to test for none',
      ],
    ],
  ])('on %j gets a warning (C16, C18): %s', (source, words, expected) => {
    expect(aboutConditions({ source }, `require source ${words}`)).toEqual(
      expected.map((line) => `conditions[0].${line}`),
    );
  });

  it.each<[FieldPlan, ...string[]]>([
    [date, 'before today', 'after today-18y', 'on_or_before 2026-02-28', 'on_or_after today+6m'],
    [number, 'at_least -1.5', 'at_most 1e3'],
    [checkbox, 'includes red', 'includes dark red', 'not_includes red', 'not_contains dark'],
    [{ type: 'checkbox', options: ['a,b', 'c'] }, 'includes a,b', 'not_includes c'],
    [{}, 'not_contains x'],
  ])('on %j gets no warning: %s', (source, ...all) => {
    for (const words of all) expect(aboutConditions({ source }, `require source ${words}`)).toEqual([]);
  });
});

describe('a condition that compares two fields (C17)', () => {
  const itself = (operator: string, effect: string) =>
    `conditions[0].value_field: must be another field: "${operator}" is ${effect} if "a" is compared with itself`;

  it.each([
    ...['not_equals', 'not_contains', 'not_includes', 'greater_than', 'less_than', 'before', 'after'].map(
      (operator) => [operator, 'never met'] as const,
    ),
    ...['equals', 'contains', 'includes', 'at_least', 'at_most', 'on_or_before', 'on_or_after'].map(
      (operator) => [operator, 'met by any value that fits'] as const,
    ),
  ])('gets a warning if it compares a field with itself by %s', (operator, effect) => {
    const a = operator.endsWith('includes') ? checkbox : {};
    expect(aboutConditions({ a }, `require a ${operator} @a`)).toEqual([itself(operator, effect)]);
    expect(aboutConditions({ a: { ...a, repeatable: true } }, `require a ${operator} @a`)).toEqual([]);
    expect(aboutConditions({ a, b: a }, `require a ${operator} @b`)).toEqual([]);
  });

  it('gets a warning if the other field has no value', () => {
    const lint = (b: FieldPlan) => aboutConditions({ a: {}, b }, 'require a equals @b');
    expect(lint({ retired: true })).toEqual([
      'conditions[0].value_field: is never met, because "b" is retired; compare with another field, or remove the condition',
    ]);
    expect(lint({ type: 'heading' })).toEqual([
      'conditions[0].value_field: must be the code of a field that can have a value, but "b" is for display only and never has one',
    ]);
  });

  it('is part of a cycle, and hides for good only if a field is retired', () => {
    expect(
      warnings({ a: { conditions: ['show b before @c'] }, b: {}, c: { conditions: ['show a empty'] } }),
    ).toEqual([
      'fields[0]: "a", "c" show or hide each other in a cycle; remove the conditions of one of them on the others',
    ]);
    const shown = { conditions: ['show a before @b'] };
    expect(warnings({ a: {}, b: {}, target: shown })).toEqual([]);
    expect(warnings({ a: {}, b: { retired: true }, target: shown })).toContain(
      'fields[2]: "target" can never be visible, because no "show" condition is ever met; change its conditions',
    );
  });
});

describe('a group of conditions (C9)', () => {
  const lint = (source: FieldPlan, ...words: string[]) =>
    aboutConditions({ source, other: {}, third: {} }, ...words.map((one) => `require source ${one} #1`));
  const CONTRARY = [
    'conditions[1]: is never met together with conditions[0] of its group, so the group is never met; change one of them',
  ];

  it.each<[FieldPlan, string, string]>([
    [number, 'at_least 5', 'at_most 3'],
    [number, 'greater_than 5', 'at_most 5.0'],
    [number, 'less_than 5', 'greater_than 5'],
    [date, 'before 2026-01-01', 'on_or_after 2026-01-01'],
    [date, 'after 2026-01-02', 'on_or_before 2026-01-01'],
    [date, 'before @other', 'after @other'],
    [{}, 'equals a', 'equals b'],
    [{}, 'equals a', 'not_equals a'],
    [{}, 'in a, b', 'not_in b,a,c'],
    [number, 'equals 5', 'greater_than 5'],
    [{}, 'contains abc', 'not_contains b'],
    [checkbox, 'includes red', 'not_includes red'],
    [{}, 'empty', 'not_empty'],
    [{}, 'empty', 'equals x'],
  ])('on %j gets a warning if no value meets both: %s, %s', (source, one, other) => {
    expect([lint(source, one, other), lint(source, other, one)]).toEqual([CONTRARY, CONTRARY]);
    expect(lint({ ...source, repeatable: true }, one, other)).toEqual([]);
    const apart = [`require source ${one} #1`, `require source ${other} #2`, `require source ${other}`];
    expect(aboutConditions({ source, other: {}, third: {} }, ...apart)).toEqual([]);
  });

  it('on a date from today gets a warning only if it is the same today', () => {
    const conditions = (bound: string) => ({
      steps: [
        {
          source: date,
          target: { conditions: ['show source before today #1', `show source on_or_after ${bound} #1`] },
        },
      ],
    });
    const inZone = (bound: string) =>
      warningsOf({ ...conditions(bound), form: { time_zone: 'Europe/Berlin' } });
    expect(inZone('today')).toEqual([`steps[0].fields[1].${CONTRARY[0]}`]);
    expect([inZone('today-1d'), inZone('2026-01-01'), warningsOf(conditions('today'))]).toEqual([[], [], []]);
  });

  it.each<[FieldPlan, string, string]>([
    [number, 'at_least 5', 'at_most 5'],
    [number, 'less_than 5', 'less_than 3'],
    [date, 'on_or_before 2026-01-01', 'on_or_after 2026-01-01'],
    [date, 'before @other', 'after @third'],
    [date, 'on_or_before @other', 'on_or_after @other'],
    [{}, 'not_equals a', 'not_equals b'],
    [{}, 'contains a', 'not_contains abc'],
    [{}, 'in a, b', 'not_in b'],
    [{}, 'empty', 'not_equals x'],
    [checkbox, 'includes red', 'not_includes dark red'],
  ])('on %j gets no warning if a value can meet both: %s, %s', (source, one, other) => {
    expect([lint(source, one, other), lint(source, other, one)]).toEqual([[], []]);
  });
});

describe('a rule with another field (J9)', () => {
  const lint = (fields: Record<string, FieldPlan>, type: string, ...rules: object[]) =>
    withoutPersonal(warnings({ ...fields, end: { type, more: { rules } } })).map((line) =>
      line.replace(/^fields\[1\]\./, ''),
    );
  const start = { other_field: 'start' };

  it('gets a warning if the other field is retired', () => {
    expect(lint({ start: { type: 'date', retired: true } }, 'date', { kind: 'min_date', ...start })).toEqual([
      'rules[0].other_field: is never applied, because "start" is retired; change or remove the rule',
    ]);
  });

  it.each([
    ['date', 'min_date', 'number', 'dates, and the number-input "start" holds none'],
    ['number', 'max', 'date', 'numbers, and the date-input "start" holds none'],
    ['number', 'max', 'email', 'numbers, and the email-input "start" holds none'],
    ['date', 'max_date', 'checkbox', 'dates, and the checkbox-input "start" holds none'],
    ['text', 'min', 'file', 'numbers, and the file-input "start" holds none'],
  ])('of a %s gets a warning if %s compares with a %s', (type, kind, other, what) => {
    expect(lint({ start: { type: other } }, type, { kind, ...start })).toEqual([
      `rules[0].other_field: is never applied, because "${kind}" compares ${what}`,
    ]);
  });

  it.each([
    ['date', 'min_date', 'date'],
    ['date', 'min_date', 'text'],
    ['number', 'max', 'select'],
    ['email', 'equal', 'email'],
    ['text', 'not_equal', 'number'],
  ])('of a %s gets no warning if %s compares with a %s', (type, kind, other) => {
    expect(lint({ start: { type: other } }, type, { kind, ...start })).toEqual([]);
  });

  it('gets a warning if it does not fit its own field', () => {
    expect(lint({ start: date }, 'number', { kind: 'min_date', ...start })).toEqual([
      'rules[0]: is never applied, because "min_date" does not apply to values of this field; change or remove it',
    ]);
  });

  it('gets a warning if another rule with the field contradicts it', () => {
    const days = (least: number | null, most: number | null) =>
      lint(
        { start: date },
        'date',
        { kind: 'max_date', ...start, offset_days: most },
        { kind: 'min_date', ...start, offset_days: least },
      );
    const contradiction = [
      'rules[1]: contradicts max_date with "start", so no value meets both; change one of them',
    ];
    expect([days(2, 1), days(1, null), days(1, 1), days(-1, null)]).toEqual([
      contradiction,
      contradiction,
      [],
      [],
    ]);
    expect(lint({ start: {} }, 'text', { kind: 'equal', ...start }, { kind: 'not_equal', ...start })).toEqual(
      ['rules[1]: contradicts equal with "start", so no value meets both; change one of them'],
    );
  });
});

it('an option that excludes others gets a warning in a field that holds one choice (J12)', () => {
  const options = [{ label: 'None', value: 'none', is_exclusive: true }];
  const lint = (type: string) => warnings({ f: { type, more: { options } } });
  expect(lint('checkbox')).toEqual([]);
  expect(['radio', 'text'].flatMap(lint)).toEqual(
    ['radio', 'text'].map(
      (type) =>
        `fields[0].options[0].is_exclusive: has no effect, because a "${type}-input" does not hold several choices; remove it`,
    ),
  );
});

describe('a formula (K1)', () => {
  const FIELDS: Record<string, FieldPlan> = {
    ...{ net: number, day: date, note: {}, mail: { type: 'email' }, scan: { type: 'file' }, flag: checkbox },
    grade: { type: 'radio', options: ['1', '2', 'none'] },
    amount: { rules: { min: '0' } },
    since: { rules: { min_date: 'today' } },
    words: { more: { computed: { op: 'join', of: ['note'] } } },
    size: { more: { computed: { op: 'count', of: ['note'] } } },
    old: { type: 'number', retired: true },
    price: { type: 'number', repeatable: true, entity: 'item' },
  };
  /** The warnings about a computed field, whose position is that after all others. */
  const lint = (computed: object, plan: FieldPlan = {}) =>
    withoutPersonal(
      warningsOf({
        steps: [{ ...FIELDS, total: { type: 'number', ...plan, more: { ...plan.more, computed } } }],
        ...{ entities: { item: [] }, entity: { is_repeatable: true } },
      }),
    ).map((line) => line.replace(`steps[0].fields[${Object.keys(FIELDS).length}].`, ''));
  const never = (why: string, at = 0) => `computed.of[${at}]: never counts, because ${why}`;
  const empty = (why: string, at = 0) => `computed.of[${at}]: makes the result empty, because ${why}`;
  const holds = (component: string, code: string, what: string) =>
    `the ${component} "${code}" holds no ${what}`;

  it.each<[object, string[]]>([
    [{ op: 'sum', of: ['net', 'grade', 'amount', 'size', 'price', { value: '1.5' }] }, []],
    [{ op: 'days_between', of: ['day', 'since'] }, []],
    [{ op: 'years_between', of: ['day', { value: 'today' }] }, []],
    [{ op: 'join', of: ['note', 'net', 'flag', { value: 'x' }] }, []],
    [{ op: 'difference', of: [{ op: 'sum', of: ['price'] }, 'net'] }, []],
    [{ op: 'sum', of: ['note'] }, [never(holds('text-input', 'note', 'number'))]],
    [
      { op: 'average', of: ['mail', 'flag'] },
      [never(holds('email-input', 'mail', 'number')), never(holds('checkbox-input', 'flag', 'number'), 1)],
    ],
    [{ op: 'quotient', of: ['day', 'net'] }, [empty(holds('date-input', 'day', 'number'))]],
    [{ op: 'product', of: ['words'] }, [empty(holds('text-input', 'words', 'number'))]],
    [
      { op: 'days_between', of: ['net', 'scan'] },
      [empty(holds('number-input', 'net', 'date')), empty(holds('file-input', 'scan', 'date'), 1)],
    ],
    [{ op: 'max', of: [{ value: 'ten' }] }, [never('"ten" is no number')]],
    [
      { op: 'months_between', of: ['day', { value: 'today+1d' }] },
      [empty('"today+1d" is neither a date nor "today"', 1)],
    ],
    [{ op: 'round', of: [{ op: 'join', of: ['net'] }] }, [empty('"join" computes no number')]],
    [
      { op: 'days_between', of: ['day', { op: 'sum', of: ['day'] }] },
      [
        empty('"sum" computes no date', 1),
        `computed.of[1].of[0]: never counts, because ${holds('date-input', 'day', 'number')}`,
      ],
    ],
    [{ op: 'count', of: ['old'] }, [never('"old" is retired; take it out of the formula')]],
    [{ op: 'quotient', of: ['old', 'net'] }, [empty('"old" is retired; take it out of the formula')]],
    [
      { op: 'difference', of: ['net', 'price'] },
      [empty('"price" has several values here, and "difference" needs one', 1)],
    ],
  ])('%j: %j', (computed, expected) => {
    expect(lint(computed)).toEqual(expected);
  });

  it('has one value of a repeatable field in its own record', () => {
    const difference = { op: 'difference', of: ['net', 'price'] };
    expect(lint(difference, { repeatable: true, entity: 'item' })).toEqual([]);
    expect(lint(difference, { repeatable: true })).toHaveLength(1);
  });

  it('gets a warning on a field that nobody fills in, or that shows nothing', () => {
    const sum = { op: 'sum', of: ['net'] };
    const nobody = 'because nobody can fill in a computed field; remove it';
    const conditions = ['require net not_empty', 'show net not_empty'];
    expect(lint(sum, { more: { is_required: true, default_value: '1' } })).toEqual([
      `is_required: prevents completion while the result is empty, ${nobody}`,
      `default_value: has no effect, ${nobody}`,
    ]);
    expect(lint(sum, { conditions })).toEqual([
      'conditions[0].action: prevents completion while the result is empty, because nobody can fill in a computed field; remove the condition',
    ]);
    for (const type of ['heading', 'paragraph', 'file'])
      expect(lint(sum, { type })).toEqual([
        `computed: has no effect, because a "${type}-${type === 'file' ? 'input' : 'display'}" holds no text; use another field type`,
      ]);
  });

  it('gets no warning on a retired field', () => {
    expect(lint({ op: 'sum', of: ['note'] }, { retired: true })).toEqual([]);
  });

  it('makes conditions depend on its operands', () => {
    const plan = {
      net: { type: 'number', conditions: ['show double greater_than 5'] },
      half: { type: 'number', more: { computed: { op: 'quotient', of: ['net', { value: '2' }] } } },
      double: { type: 'number', more: { computed: { op: 'sum', of: ['half', 'half'] } } },
    };
    expect(warnings(plan)).toEqual([
      'fields[0]: "net" is shown or hidden by its own value; remove its conditions on itself',
    ]);
  });
});

describe('a field that can never be visible', () => {
  const onSource = (words: string) => words.split('; ').map((one) => one.replace(' ', ' source '));

  it.each<[string, FieldPlan, string]>([
    ['from 5, and hidden from 5', number, 'show at_least 5; hide at_least 5'],
    ['at most 5, and hidden below 5.1', number, 'show at_most 5; hide less_than 5.1'],
    ['before a day, and hidden up to it', date, 'show before 2026-01-01; hide on_or_before 2026-01-01'],
    [
      'between two days without a day between them',
      date,
      'show after 2026-01-01; hide on_or_after 2026-01-02',
    ],
    ['no date', date, 'show before soon'],
  ])('gets a warning: %s', (_, source, words) => {
    expect(neverVisible(source, onSource(words))).toHaveLength(1);
  });

  it.each<[string, FieldPlan, string]>([
    ['between two numbers', number, 'show greater_than 5; hide at_least 6'],
    ['just above a number', number, 'show greater_than 5; hide at_least 5.0000001'],
    ['at a number', number, 'show at_least 5; hide greater_than 5'],
    ['between two days', date, 'show after 2026-01-01; hide on_or_after 2026-01-03'],
    [
      'a day that no text excludes',
      date,
      'show after 2026-01-01; hide equals 2026-01-02; hide after 2026-01-03',
    ],
    ['today, which is another day tomorrow', date, 'show before today; hide before 2030-01-01'],
    ['a text that does not contain another', {}, 'show contains a; hide not_contains b'],
    ['one of several choices', checkbox, 'show includes red; hide not_includes dark red'],
  ])('does not include a field that can be shown: %s', (_, source, words) => {
    expect(neverVisible(source, onSource(words))).toEqual([]);
  });
});
