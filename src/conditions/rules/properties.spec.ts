import {
  ACTIONS,
  OPERATORS,
  compareDecimals,
  compileRules,
  type FieldState,
  type RuleCondition,
  type RuleField,
  type StoredValues,
} from './index.js';

describe('C4: comparing random decimals', () => {
  it('agrees with BigInt arithmetic on the same numbers scaled to integers', () => {
    const random = seededRandom(20_240_607);
    const met = new Map<number | null, number>();
    for (let round = 0; round < 5_000; round++) {
      const left = randomDecimal(random);
      const right = random() < 0.5 ? respell(left, random) : randomDecimal(random);
      const difference = scaled(left) - scaled(right);
      const order = compareDecimals(spell(left), spell(right));
      expect([spell(left), spell(right), order]).toEqual([
        spell(left),
        spell(right),
        difference < 0n ? -1 : difference > 0n ? 1 : 0,
      ]);
      met.set(order, (met.get(order) ?? 0) + 1);
    }
    expect(Math.min(...[-1, 0, 1].map((order) => met.get(order) ?? 0))).toBeGreaterThan(500);
  });
});

describe('C2 to C7: resolving random forms', () => {
  it('agrees with the evaluation rules written down word by word', () => {
    const random = seededRandom(11);
    const seen = new Set<string>();
    for (let round = 0; round < 3_000; round++) {
      const fields = randomForm(random);
      const values = randomValues(random, fields.length);
      const states = compileRules(fields).resolveStates(values);
      const expected = fields.map((field) => stateByTheRules(field, values));
      expect({ fields, values, states }).toEqual({ fields, values, states: expected });
      for (const state of states) seen.add(JSON.stringify(state));
    }
    expect(seen.size).toBe(3);
  });
});

function stateByTheRules(field: RuleField, values: StoredValues): FieldState {
  const isMet = (condition: RuleCondition) =>
    isMetByTheRules(condition, values.get(condition.dependsOnFieldId) ?? []);
  const ofAction = (action: string) => field.conditions.filter((condition) => condition.action === action);

  let visible = true;
  if (ofAction('show').length > 0) visible = ofAction('show').filter(isMet).length > 0;
  if (ofAction('hide').filter(isMet).length > 0) visible = false;

  let required = field.isRequired;
  if (ofAction('require').filter(isMet).length > 0) required = true;
  if (!visible) required = false;
  return { visible, required };
}

function isMetByTheRules({ operator, value }: RuleCondition, stored: readonly string[]): boolean {
  const present = stored.filter((text) => text.length > 0);
  const list = value
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text.length > 0);
  const isNumber = (text: string) => /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(text);
  const numbers = isNumber(value) ? present.filter(isNumber).map(Number) : [];
  const met: Record<RuleCondition['operator'], boolean> = {
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
  return met[operator];
}

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
  '10',
  '1e',
  'x2',
];

function randomForm(random: () => number): RuleField[] {
  return Array.from({ length: 1 + below(5, random) }, (_, position) => ({
    id: position + 1,
    isRequired: random() < 0.5,
    conditions: Array.from({ length: below(4, random) }, () => ({
      dependsOnFieldId: 1 + below(6, random),
      operator: pick(OPERATORS, random),
      value: pick(TEXTS, random),
      action: pick(ACTIONS, random),
    })),
  }));
}

function randomValues(random: () => number, fieldCount: number): StoredValues {
  const values = new Map<number, string[]>();
  for (let id = 1; id <= fieldCount; id++) {
    if (random() < 0.2) continue;
    values.set(
      id,
      Array.from({ length: below(4, random) }, () => pick(TEXTS, random)),
    );
  }
  return values;
}

interface Spelling {
  readonly negative: boolean;
  readonly integer: string;
  readonly fraction: string;
  readonly exponent: number;
}

function randomDecimal(random: () => number): Spelling {
  const digits = (length: number) => Array.from({ length }, () => Math.floor(random() ** 2 * 10)).join('');
  return {
    negative: random() < 0.3,
    integer: digits(1 + below(12, random)),
    fraction: digits(below(12, random)),
    exponent: below(41, random) - 20,
  };
}

/** The same number with its point moved and zeros around it, at times with one more digit at the far end. */
function respell({ negative, integer, fraction, exponent }: Spelling, random: () => number): Spelling {
  const moved = below(fraction.length + 1, random);
  return {
    negative,
    integer: `00${integer}${fraction.slice(0, moved)}`,
    fraction: `${fraction.slice(moved)}000${random() < 0.3 ? '1' : ''}`,
    exponent: exponent - moved,
  };
}

function spell({ negative, integer, fraction, exponent }: Spelling): string {
  return `${negative ? '-' : ''}${integer}${fraction && `.${fraction}`}${exponent === 0 ? '' : `e${exponent}`}`;
}

function scaled({ negative, integer, fraction, exponent }: Spelling): bigint {
  const magnitude = BigInt(integer + fraction) * 10n ** BigInt(80 + exponent - fraction.length);
  return negative ? -magnitude : magnitude;
}

function pick<T>(choices: readonly T[], random: () => number): T {
  return choices[below(choices.length, random)] as T;
}

function below(bound: number, random: () => number): number {
  return Math.floor(random() * bound);
}

/** The mulberry32 generator: the same numbers in every run. */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
