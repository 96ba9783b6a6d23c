import fc from 'fast-check';
import {
  ACTIONS,
  OPERATORS,
  compareDecimals,
  compileRules,
  HIDDEN_VALUES,
  type FieldState,
  type HiddenValues,
  type RuleCondition,
  type RuleField,
  type StoredValue,
} from './index.js';

const LONG = 'x'.repeat(65_535);
const TEXTS = [
  '',
  ' ',
  'a',
  'A',
  'ab',
  'a,b',
  ' a , ,2',
  ',',
  '2',
  '2.0',
  ' 2',
  '-3',
  '+1e1',
  '.5',
  '1e',
  'é',
  LONG,
];
const MAX_FIELDS = 6;

type ValuesByField = ReadonlyMap<number, readonly string[]>;

const texts = fc.oneof(fc.constantFrom(...TEXTS), fc.string({ unit: 'grapheme', maxLength: 5 }));
// No form has a field with the highest id.
const conditions = fc.record({
  dependsOnFieldId: fc.integer({ min: 1, max: MAX_FIELDS + 1 }),
  operator: fc.constantFrom(...OPERATORS),
  value: texts,
  action: fc.constantFrom(...ACTIONS),
});
const forms = fc
  .array(fc.record({ isRequired: fc.boolean(), conditions: fc.array(conditions, { maxLength: 4 }) }), {
    maxLength: MAX_FIELDS,
  })
  .map((fields): RuleField[] => fields.map((field, position) => ({ id: position + 1, ...field })));
const storedValues = fc
  .array(fc.tuple(fc.integer({ min: 1, max: MAX_FIELDS }), fc.array(texts, { maxLength: 3 })))
  .map((entries): ValuesByField => new Map(entries));

/** One row for each value, as in the database. */
const rowsOf = (values: ValuesByField) =>
  [...values].flatMap(([id, held]) => held.map((text): StoredValue => [id, null, text]));

const statesOf = (fields: readonly RuleField[], values: ValuesByField, hiddenValues?: HiddenValues) =>
  new Map(
    compileRules(fields, hiddenValues)
      .resolveStates(rowsOf(values))
      .map((state, position) => [fields[position]!.id, state]),
  );

/** On a failure, fast-check shrinks the case and prints the seed and the path that reproduce it. */
const RUNS = { numRuns: 1_000 };

describe.each(HIDDEN_VALUES)('resolving any form and any values, with HIDDEN_VALUES=%s', (hiddenValues) => {
  const visibleIn = hiddenValues === 'keep' ? visibleByStored : visibleByVisible;

  it('agrees with a literal implementation of the evaluation rules (C2 to C7)', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(forms, storedValues, (fields, values) => {
        const expected = fields.map((field) => stateByTheRules(field, fields, values, visibleIn));
        expect(compileRules(fields, hiddenValues).resolveStates(rowsOf(values))).toEqual(expected);
        for (const state of expected) seen.add(JSON.stringify(state));
      }),
      RUNS,
    );
    expect(seen.size).toBe(3);
  });

  it('gives the same states for any order of fields and conditions', () => {
    const shuffled = forms.chain((fields) =>
      fc
        .tuple(shuffle(fields), fc.tuple(...fields.map((field) => shuffle(field.conditions))))
        .map(([inOtherOrder, lists]) => ({
          fields,
          other: inOtherOrder.map((field) => ({ ...field, conditions: lists[field.id - 1] ?? [] })),
        })),
    );
    fc.assert(
      fc.property(shuffled, storedValues, ({ fields, other }, values) => {
        const [one, two] = [statesOf(fields, values, hiddenValues), statesOf(other, values, hiddenValues)];
        for (const { id } of fields) expect([id, two.get(id)]).toEqual([id, one.get(id)]);
      }),
      RUNS,
    );
  });

  it('never requires a hidden field, and explains each state by the conditions that cause it', () => {
    fc.assert(
      fc.property(forms, storedValues, (fields, values) => {
        const rules = compileRules(fields, hiddenValues);
        const explained = rules.explainStates(rowsOf(values));
        expect(explained.map(({ visible, required }) => ({ visible, required }))).toEqual(
          rules.resolveStates(rowsOf(values)),
        );
        for (const [position, { visible, required, met }] of explained.entries()) {
          const field = fields[position]!;
          const has = (action: string) => met.some((condition) => condition.action === action);
          const hasShow = field.conditions.some(({ action }) => action === 'show');
          expect(visible).toBe(!has('hide') && (!hasShow || has('show')));
          expect(required).toBe(visible && (has('require') || field.isRequired));
          if (!visible) expect(has('require')).toBe(false);
          // `met` has each condition once, in the order of the form.
          expect(met).toEqual(field.conditions.filter((condition) => met.includes(condition)));
        }
      }),
      RUNS,
    );
  });
});

describe('adding a hide condition', () => {
  const widened = fc.tuple(forms, conditions, fc.nat()).map(([fields, condition, at]) => {
    const hidden = at % Math.max(fields.length, 1);
    const more = fields.map((field, position): RuleField =>
      position === hidden
        ? { ...field, conditions: [...field.conditions, { ...condition, action: 'hide' }] }
        : field,
    );
    return { fields, more };
  });

  it('never shows a field that was hidden', () => {
    fc.assert(
      fc.property(widened, storedValues, ({ fields, more }, values) => {
        const [before, after] = [statesOf(fields, values), statesOf(more, values)];
        for (const { id } of fields) if (!before.get(id)!.visible) expect(after.get(id)!.visible).toBe(false);
      }),
      RUNS,
    );
  });
});

describe('deep chains and cycles of 1,000 fields', () => {
  const SIZE = 1_000;
  const following = (dependsOn: (id: number) => number, order: readonly number[]) =>
    order.map((id): RuleField => ({
      id,
      isRequired: true,
      conditions: [{ dependsOnFieldId: dependsOn(id), operator: 'not_empty', value: '', action: 'show' }],
    }));
  const ids = Array.from({ length: SIZE }, (_, position) => position + 1);
  const all = new Map(ids.map((id) => [id, ['x']]));
  const withoutFirst = new Map([...all].filter(([id]) => id !== 1));
  const countVisible = (fields: RuleField[], values: ValuesByField, hiddenValues: HiddenValues) =>
    [...statesOf(fields, values, hiddenValues).values()].filter(({ visible }) => visible).length;

  it.each([
    ['from the first field to the last', ids],
    ['from the last field to the first', ids.toReversed()],
  ])(
    'a chain %s without its first value hides all later fields with ignore, and one field with keep',
    (_, order) => {
      const chain = following((id) => id - 1, order).map((field) =>
        field.id === 1 ? { ...field, conditions: [] } : field,
      );
      expect(countVisible(chain, all, 'ignore')).toBe(SIZE);
      expect(countVisible(chain, withoutFirst, 'ignore')).toBe(1);
      expect(countVisible(chain, withoutFirst, 'keep')).toBe(SIZE - 1);
    },
  );

  it('a cycle is evaluated with the stored values, with ignore and with keep', () => {
    const cycle = following((id) => (id === 1 ? SIZE : id - 1), ids);
    for (const hiddenValues of HIDDEN_VALUES) {
      expect(countVisible(cycle, all, hiddenValues)).toBe(SIZE);
      expect(countVisible(cycle, withoutFirst, hiddenValues)).toBe(SIZE - 1);
    }
  });
});

describe('C4: comparing any two decimals', () => {
  const digits = (minLength: number) =>
    fc.string({ unit: fc.constantFrom('0', '0', '1', '9'), minLength, maxLength: 12 });
  const decimals = fc.record({
    negative: fc.boolean(),
    integer: digits(1),
    fraction: digits(0),
    exponent: fc.integer({ min: -20, max: 20 }),
  });
  /** The same number with its point moved and zeros around it, sometimes with one more digit at the end. */
  const respelled = decimals.chain((one) =>
    fc
      .record({ moved: fc.nat(one.fraction.length), tail: fc.constantFrom('', '1') })
      .map(({ moved, tail }) => [
        one,
        {
          ...one,
          integer: `00${one.integer}${one.fraction.slice(0, moved)}`,
          fraction: `${one.fraction.slice(moved)}000${tail}`,
          exponent: one.exponent - moved,
        },
      ]),
  );

  it('agrees with BigInt arithmetic on the same numbers scaled to integers', () => {
    const met = new Set<number | null>();
    fc.assert(
      fc.property(fc.oneof(respelled, fc.tuple(decimals, decimals)), ([left, right]) => {
        const difference = scaled(left) - scaled(right);
        const order = compareDecimals(spell(left), spell(right));
        expect(order).toBe(difference < 0n ? -1 : difference > 0n ? 1 : 0);
        met.add(order);
      }),
      RUNS,
    );
    expect(met.size).toBe(3);
  });
});

function shuffle<T>(list: readonly T[]): fc.Arbitrary<T[]> {
  return fc.shuffledSubarray([...list], { minLength: list.length });
}

// A literal implementation of the specification's rules, which shares no code with the engine.

type VisibleIn = (field: RuleField, fields: readonly RuleField[], values: ValuesByField) => boolean;

function stateByTheRules(
  field: RuleField,
  fields: readonly RuleField[],
  values: ValuesByField,
  visibleIn: VisibleIn,
): FieldState {
  const visible = visibleIn(field, fields, values);
  const counts = (id: number) => {
    const other = fields.find((one) => one.id === id);
    const isIgnored = visibleIn === visibleByVisible && !isInCycle(field, fields);
    if (isIgnored && other !== undefined && !visibleIn(other, fields, values)) return [];
    return values.get(id) ?? [];
  };
  let required = field.isRequired;
  if (met(field, 'require', counts).length > 0) required = true;
  if (!visible) required = false;
  return { visible, required };
}

/** Implements C5 with `keep`. */
function visibleByStored(field: RuleField, _fields: readonly RuleField[], values: ValuesByField): boolean {
  return isShown(field, (id) => values.get(id) ?? []);
}

/** Implements C5 with `ignore`: conditions read the values of a field only if that field is visible. */
function visibleByVisible(field: RuleField, fields: readonly RuleField[], values: ValuesByField): boolean {
  if (isInCycle(field, fields)) return visibleByStored(field, fields, values);
  return isShown(field, (id) => {
    const other = fields.find((one) => one.id === id);
    if (other !== undefined && !visibleByVisible(other, fields, values)) return [];
    return values.get(id) ?? [];
  });
}

function isShown(field: RuleField, counts: (id: number) => readonly string[]): boolean {
  let visible = true;
  if (field.conditions.some(({ action }) => action === 'show'))
    visible = met(field, 'show', counts).length > 0;
  if (met(field, 'hide', counts).length > 0) visible = false;
  return visible;
}

function isInCycle(field: RuleField, fields: readonly RuleField[]): boolean {
  const deciders = (id: number) =>
    (fields.find((one) => one.id === id)?.conditions ?? [])
      .filter(({ action }) => action !== 'require')
      .map(({ dependsOnFieldId }) => dependsOnFieldId);
  let reached = new Set(deciders(field.id));
  for (let depth = 0; depth < fields.length; depth += 1) {
    reached = new Set([...reached, ...[...reached].flatMap(deciders)]);
  }
  return reached.has(field.id);
}

function met(field: RuleField, action: string, counts: (id: number) => readonly string[]): RuleCondition[] {
  return field.conditions
    .filter((condition) => condition.action === action)
    .filter((condition) => isMetByTheRules(condition, counts(condition.dependsOnFieldId)));
}

function isMetByTheRules({ operator, value }: RuleCondition, stored: readonly string[]): boolean {
  const present = stored.filter((text) => text.length > 0);
  const list = value
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text.length > 0);
  const isNumber = (text: string) => /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(text);
  const numbers = isNumber(value) ? present.filter(isNumber).map(Number) : [];
  const results: Record<RuleCondition['operator'], boolean> = {
    equals: present.some((text) => text === value),
    not_equals: present.every((text) => text !== value),
    contains: present.some((text) => text.indexOf(value) >= 0),
    greater_than: numbers.some((number) => number > Number(value)),
    less_than: numbers.some((number) => number < Number(value)),
    in: present.some((text) => list.some((listed) => listed === text)),
    not_in: present.every((text) => list.every((listed) => listed !== text)),
    empty: present.length === 0,
    not_empty: present.length > 0,
  };
  return results[operator];
}

interface Spelling {
  readonly negative: boolean;
  readonly integer: string;
  readonly fraction: string;
  readonly exponent: number;
}

function spell({ negative, integer, fraction, exponent }: Spelling): string {
  return `${negative ? '-' : ''}${integer}${fraction && `.${fraction}`}${exponent === 0 ? '' : `e${exponent}`}`;
}

function scaled({ negative, integer, fraction, exponent }: Spelling): bigint {
  const magnitude = BigInt(integer + fraction) * 10n ** BigInt(80 + exponent - fraction.length);
  return negative ? -magnitude : magnitude;
}
