import { FileChecks, parseFiles } from './check-files.js';
import { FIRST_FIELD_TYPES } from '../../forms/field-types.js';

type Field = Readonly<Record<string, unknown>>;

const field = (code: string, type: string, more: Field = {}) => ({
  ...{ code, label: code, field_type: { name: type } },
  ...more,
});
const ofItem = { is_repeatable: true, entity: 'item' };

/** Checks a form with all kinds of fields. Returns the errors of the field `end`, which has more properties. */
function mistakesOf(more: Field = {}, others: readonly Field[] = []): string[] {
  const fields = [
    ...[field('start', 'date'), field('net', 'number'), field('note', 'text'), field('heading', 'heading')],
    ...[field('ticked', 'checkbox'), field('upload', 'file'), field('price', 'number', ofItem)],
    ...[field('seen', 'date', ofItem), field('weight', 'date', { ...ofItem, entity: 'parcel' })],
    ...others,
    field('end', 'date', more),
  ];
  const source = {
    ...{ name: 'Form', slug: 'form', steps: [{ step_number: 1, title: '', fields }] },
    entities: ['item', 'parcel'].map((name) => ({ name, label: name, is_repeatable: true })),
  };
  const checks = new FileChecks();
  const [file] = parseFiles([{ name: 'form.json', text: JSON.stringify(source) }]);
  checks.check(file!, {
    ...{ components: new Map(FIRST_FIELD_TYPES), codes: new Set(), patterns: new Set(), options: new Set() },
    ...{ entityNames: new Set(), locales: new Set(), timeZone: undefined },
  });
  const own = `steps[0].fields[${fields.length - 1}].`;
  return checks.mistakes.map(({ path, message }) => `${path.replace(own, '')}: ${message}`);
}

describe('a condition that compares two fields (C17)', () => {
  const condition = (columns: object) => ({
    conditions: [{ depends_on_field_code: 'start', operator: 'before', action: 'show', ...columns }],
  });
  const VALUE_FIELD = 'conditions[0].value_field';

  it.each<[object, string[]]>([
    [{ value_field: 'end' }, []],
    [{ value_field: 'end', value: '' }, []],
    [{ value_field_code: 'end' }, []],
    [{ value_field_code: null, value: 'today-18y' }, []],
    ...['equals', 'not_equals', 'contains', 'not_contains', 'at_least', 'includes', 'on_or_after'].map(
      (operator): [object, string[]] => [{ value_field: 'note', operator }, []],
    ),
    [
      { value_field: 'nobody' },
      [`${VALUE_FIELD}: must be the code of a field of this form, but is "nobody"`],
    ],
    [
      { value_field: 'end', value: 'today' },
      ['conditions[0].value: must be omitted, because the condition compares with "end"'],
    ],
    ...['in', 'not_in', 'empty', 'not_empty'].map((operator): [object, string[]] => [
      { value_field: 'end', operator },
      [`${VALUE_FIELD}: must be omitted, because "${operator}" compares with no other field`],
    ]),
    [{ value_field: '' }, [`${VALUE_FIELD}: must be a text that is not empty, but has 0`]],
  ])('%j: %j', (columns, mistakes) => {
    expect(mistakesOf(condition(columns))).toEqual(mistakes);
  });
});

describe('a rule that compares two fields (J9)', () => {
  const rules = (...list: object[]) => ({ rules: list });
  const OTHER = 'rules[0].other_field';

  it.each<[object, string[]]>([
    [{ kind: 'min_date', other_field: 'start' }, []],
    [{ kind: 'min_date', other_field_code: 'start', value: null, offset_days: null }, []],
    [{ kind: 'max_date', other_field: 'start', offset_days: -99_999 }, []],
    [{ kind: 'not_equal', other_field: 'note' }, []],
    [{ kind: 'max_date', value: 'today+6m' }, []],
    [
      { kind: 'min_date' },
      ['rules[0].value: is missing; it must be the value of "min_date", unless other_field is there'],
    ],
    [{ kind: 'max_length' }, ['rules[0].value: is missing; it must be the value of "max_length"']],
    [
      { kind: 'equal' },
      [`${OTHER}: is missing; it must be the code of the field that "equal" compares with`],
    ],
    [
      { kind: 'equal', other_field: 'note', value: 'x' },
      ['rules[0].value: must be omitted, because "equal" compares with other_field'],
    ],
    [
      { kind: 'min_date', other_field: 'start', value: 'today' },
      ['rules[0].value: must be omitted, because the rule compares with "start"'],
    ],
    [
      { kind: 'pattern', other_field: 'start' },
      [`${OTHER}: must be omitted, because "pattern" compares with no other field`],
    ],
    [
      { kind: 'min_date', other_field: 'nobody' },
      [`${OTHER}: must be the code of a field of this form, but is "nobody"`],
    ],
    [{ kind: 'min_date', other_field: 'end' }, [`${OTHER}: must be another field`]],
    [
      { kind: 'min', other_field: 'heading' },
      [`${OTHER}: must be a field that can have a value, but "heading" is for display only`],
    ],
    [
      { kind: 'min_date', other_field: 'seen' },
      [
        `${OTHER}: must have one value there, but "seen" is repeatable; both fields must then be repeatable fields of the same entity`,
      ],
    ],
    ...['ticked', 'upload'].map((other): [object, string[]] => [
      { kind: 'equal', other_field: other },
      [
        `${OTHER}: must be omitted, because "equal" cannot compare the ${other === 'ticked' ? 'checkbox' : 'file'}-input "${other}"`,
      ],
    ]),
    ...[{ value: 'today' }, { kind: 'min', other_field: 'net' }].map((rule): [object, string[]] => [
      { kind: 'min_date', offset_days: 1, ...rule },
      [
        'rules[0].offset_days: must be omitted, because only "min_date" and "max_date" with other_field add days',
      ],
    ]),
    [
      { kind: 'min_date', other_field: 'start', offset_days: 100_000 },
      ['rules[0].offset_days: must be a whole number from -99999 to 99999, but is 100000'],
    ],
    [
      { kind: 'min_sum', value: '1' },
      [
        'rules[0].kind: must be the rule of a repeatable number-input, because "min_sum" adds up the numbers of its records',
      ],
    ],
  ])('%j: %j', (rule, mistakes) => {
    expect(mistakesOf(rules(rule))).toEqual(mistakes);
  });

  it('may stand beside rules of the same kind, if each has another bound', () => {
    const [one, start, note] = [
      { kind: 'min_date', value: 'today' },
      { kind: 'min_date', other_field: 'start' },
      { kind: 'min_date', other_field: 'note' },
    ];
    expect(mistakesOf(rules(one, start, note))).toEqual([]);
    expect(mistakesOf(rules(one, start, start))).toEqual([
      expect.stringMatching(/^rules\[2\]\.kind: must be unique, .*\("min_date\.start"\)$/),
    ]);
  });

  it('compares fields of the same record', () => {
    const rule = (other_field: string) => ({ ...ofItem, ...rules({ kind: 'max_date', other_field }) });
    expect(mistakesOf(rule('seen'))).toEqual([]);
    expect(mistakesOf(rule('start'))).toEqual([]);
    expect(mistakesOf(rule('weight'))).toEqual([expect.stringContaining('"weight" is repeatable')]);
    const sums = { ...ofItem, rules: [{ kind: 'max_sum', value: '100' }] };
    expect(mistakesOf({}, [field('amount', 'number', sums)])).toEqual([]);
  });

  it('of a checkbox cannot compare texts', () => {
    const rule = { rules: [{ kind: 'equal', other_field: 'note' }] };
    expect(mistakesOf({}, [field('one', 'checkbox', rule)])).toEqual([
      expect.stringMatching(/other_field: must be omitted, .* cannot compare the checkbox-input "one"$/),
    ]);
  });
});

describe('a formula (K1)', () => {
  const sum = (...of: unknown[]) => ({ op: 'sum', of });
  const nested = (depth: number): object => sum(depth === 1 ? 'net' : nested(depth - 1));
  const AT = 'computed';

  it.each<[unknown, string[]]>([
    [null, []],
    [sum('net', { value: '1.5' }, { op: 'count', of: ['price'] }), []],
    [{ op: 'quotient', of: ['net', { value: '2' }], scale: 20 }, []],
    [{ op: 'join', of: ['note'], with: ', ' }, []],
    [{ op: 'years_between', of: ['start', { value: 'today' }] }, []],
    [nested(4), []],
    [sum(...Array.from({ length: 50 }, () => 'net')), []],
    [[], [`${AT}: must be an object, but is an array`]],
    [
      { op: 'modulo', of: ['net'] },
      [
        `${AT}.op: must be one of sum, difference, product, quotient, min, max, average, count, round, days_between, months_between, years_between, join, but is "modulo"`,
      ],
    ],
    [{ of: ['net'] }, [expect.stringMatching(/^computed\.op: is missing; it must be one of sum, /)]],
    [{ op: 'sum' }, [`${AT}.of: is missing; it must be an array`]],
    [{ op: 'sum', of: 'net' }, [`${AT}.of: must be an array, but is "net"`]],
    [{ ...sum('net'), round: 2 }, [`${AT}.round: is not a known key; the keys here are op, of, scale, with`]],
    [sum(), [`${AT}.of: must have at least 1 operand for "sum", but has 0`]],
    [
      sum(1),
      [
        `${AT}.of[0]: must be the code of a field, a constant such as {"value": "12.5"}, or a formula, but is 1`,
      ],
    ],
    [sum({ value: 1 }), [`${AT}.of[0].value: must be a text, but is 1`]],
    [sum({ value: '1', op: 'sum' }), [`${AT}.of[0].op: is not a known key; the keys here are value`]],
    [
      { op: 'difference', of: ['net', sum('net', { op: 'round', of: ['net', 'net'] }), 'net'] },
      [
        `${AT}.of: must have exactly 2 operands for "difference", but has 3`,
        `${AT}.of[1].of[1].of: must have exactly 1 operand for "round", but has 2`,
      ],
    ],
    [
      { ...sum('net'), scale: 2 },
      [`${AT}.scale: must be omitted, because only quotient, average, round round`],
    ],
    [
      { op: 'round', of: ['net'], scale: 21 },
      [`${AT}.scale: must be a whole number from 0 to 20, but is 21`],
    ],
    [
      { ...sum('net'), with: ' ' },
      [`${AT}.with: must be omitted, because only join puts a text between others`],
    ],
    [
      { op: 'join', of: ['note'], with: 'x'.repeat(101) },
      [`${AT}.with: must be a text of at most 100 characters, but has 101`],
    ],
    [
      nested(5),
      [
        `${AT}.of[0].of[0].of[0].of[0]: must not be nested in 4 formulas; compute a part of it in another field`,
      ],
    ],
    [
      sum('net', sum(...Array.from({ length: 49 }, () => 'net'))),
      [`${AT}: must have at most 50 operands in all, but has 51`],
    ],
    [
      sum('net', '12.5'),
      [
        `${AT}.of[1]: must be the code of a field of this form, but is "12.5"; write {"value": "12.5"} for a constant`,
      ],
    ],
    [
      sum(sum('heading')),
      [`${AT}.of[0].of[0]: must be a field that can have a value, but "heading" is for display only`],
    ],
    [
      sum('net', sum('end')),
      [`${AT}: must not need its own value: end -> end; take one of these operands out of its formula`],
    ],
  ])('%j: %j', (computed, mistakes) => {
    expect(mistakesOf({ computed })).toEqual(mistakes);
  });

  it('is no part of a cycle, whose path the error names', () => {
    const others = [
      ...[
        field('a', 'number', { computed: sum('net', 'b') }),
        field('b', 'number', { computed: sum('c', 'end') }),
      ],
      field('c', 'number', { computed: sum('net') }),
    ];
    expect(mistakesOf({}, others)).toEqual([]);
    expect(mistakesOf({ computed: sum('c', 'a') }, others)).toEqual([
      'steps[0].fields[9].computed: must not need its own value: a -> b -> end -> a; take one of these operands out of its formula',
    ]);
  });

  it('belongs to at most 1,000 fields of a form', () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, n) => field(`c${n}`, 'number', { computed: sum('net') }));
    expect(mistakesOf({}, many(1_000))).toEqual([]);
    expect(mistakesOf({}, many(1_001))).toEqual([
      'steps: must have at most 1,000 computed fields, but have 1,001; divide the form into several forms',
    ]);
  });
});
