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
  type RuleContainer,
  type RuleField,
  type RuleRecord,
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

/** The fields of a form, and its steps and entities with conditions. Some of these have no fields. */
interface RuleForm {
  readonly fields: readonly RuleField[];
  readonly containers: readonly RuleContainer[];
}

const RECORDS: readonly RuleRecord[] = [
  { id: 1, entity: 'e' },
  { id: 2, entity: 'e' },
  { id: 3, entity: 'f' },
];

const texts = fc.oneof(fc.constantFrom(...TEXTS), fc.string({ unit: 'grapheme', maxLength: 5 }));
// No form has a field with the highest id.
const conditions = fc.record({
  dependsOnFieldId: fc.integer({ min: 1, max: MAX_FIELDS + 1 }),
  operator: fc.constantFrom(...OPERATORS),
  value: texts,
  action: fc.constantFrom(...ACTIONS),
  testsRetired: fc.constantFrom(false, false, false, true),
});
const containerConditions = fc.record({
  dependsOnFieldId: fc.integer({ min: 1, max: MAX_FIELDS + 1 }),
  operator: fc.constantFrom(...OPERATORS),
  value: texts,
  action: fc.constantFrom<'show' | 'hide'>('show', 'hide'),
  group: fc.constantFrom(null, null, 1),
  testsRetired: fc.constantFrom(false, false, false, true),
});
const containers = fc.record({ conditions: fc.array(containerConditions, { maxLength: 3 }) });
const plannedFields = fc.record({
  isRequired: fc.boolean(),
  isRepeatable: fc.boolean(),
  entity: fc.constantFrom<'e' | 'f' | undefined>(undefined, 'e', 'f'),
  step: fc.nat(2),
  conditions: fc.array(conditions, { maxLength: 4 }),
});
/** Each field belongs to one of three steps and maybe to one of two entities. A container without conditions is left out. */
const forms = fc
  .record({
    steps: fc.tuple(containers, containers, containers),
    entities: fc.record({ e: containers, f: containers }),
    planned: fc.array(plannedFields, { maxLength: MAX_FIELDS }),
  })
  .map(({ steps, entities, planned }): RuleForm => {
    const decides = ({ conditions }: RuleContainer) => conditions.length > 0;
    return {
      containers: [...steps, entities.e, entities.f].filter(decides),
      fields: planned.map(({ step, ...field }, position) => ({
        id: position + 1,
        ...field,
        containers: [steps[step]!, ...(field.entity === undefined ? [] : [entities[field.entity]])].filter(
          decides,
        ),
      })),
    };
  });
const storedValues = fc.array(
  fc.tuple(fc.integer({ min: 1, max: MAX_FIELDS }), fc.constantFrom(null, 1, 2, 3), texts),
  { maxLength: 14 },
);

const compiled = ({ fields, containers }: RuleForm, hiddenValues?: HiddenValues) =>
  compileRules(fields, hiddenValues, containers);

const statesOf = (form: RuleForm, values: readonly StoredValue[], hiddenValues?: HiddenValues) =>
  new Map(
    compiled(form, hiddenValues)
      .resolveStates(values)
      .map((state, position) => [form.fields[position]!.id, state]),
  );

/** On a failure, fast-check shrinks the case and prints the seed and the path that reproduce it. */
const RUNS = { numRuns: 1_000 };

describe.each(HIDDEN_VALUES)('resolving any form and any values, with HIDDEN_VALUES=%s', (hiddenValues) => {
  it('agrees with a literal implementation of the evaluation rules (C2 to C7, C10, C11, C15)', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(forms, storedValues, (form, values) => {
        const literal = new LiteralRules(form, values, hiddenValues);
        const rules = compiled(form, hiddenValues);
        const expected = form.fields.map((field) => literal.stateOf(field));
        expect(rules.resolveStates(values)).toEqual(expected);
        for (const state of expected) seen.add(JSON.stringify(state));
        const hidden = form.containers.filter((container) => !literal.isShown(container));
        expect(new Set(rules.hiddenContainers(values))).toEqual(new Set(hidden));
        for (const container of form.containers) seen.add(`container ${hidden.includes(container)}`);
      }),
      RUNS,
    );
    expect(seen.size).toBe(5);
  });

  it('agrees with it in records too (R6)', () => {
    fc.assert(
      fc.property(forms, storedValues, (form, values) => {
        const literal = new LiteralRules(form, values, hiddenValues);
        const expected = RECORDS.map((record) => {
          const own = form.fields.filter(({ entity }) => entity === record.entity);
          return [record.id, own.map((field) => literal.stateOf(field, record))];
        });
        const rules = compiled(form, hiddenValues);
        expect([...rules.resolveRecords(values, RECORDS)]).toEqual(expected);
        const explained = [...rules.explainRecords(values, RECORDS)];
        expect(explained.map(([id, states]) => [id, states.map(withoutReasons)])).toEqual(expected);
      }),
      RUNS,
    );
  });

  it('gives the same states for any order of fields, of steps and entities, and of conditions', () => {
    const shuffled = forms.chain(({ fields, containers }) =>
      fc
        .record({
          fields: shuffle(fields),
          containers: shuffle(containers),
          own: fc.tuple(...fields.map((field) => shuffle(field.conditions))),
          lists: fc.tuple(...containers.map((container) => shuffle(container.conditions))),
          isReversed: fc.boolean(),
        })
        .map((other) => {
          const renewed = new Map(
            containers.map((container, index) => [container, { conditions: other.lists[index] ?? [] }]),
          );
          const renew = (all: readonly RuleContainer[] = []) =>
            all.flatMap((container) => renewed.get(container) ?? []);
          const inOtherOrder = other.fields.map((field) => ({
            ...field,
            conditions: other.own[field.id - 1] ?? [],
            containers: other.isReversed ? renew(field.containers).toReversed() : renew(field.containers),
          }));
          return {
            form: { fields, containers },
            other: { fields: inOtherOrder, containers: renew(other.containers) },
            renewed,
          };
        }),
    );
    fc.assert(
      fc.property(shuffled, storedValues, ({ form, other, renewed }, values) => {
        const [one, two] = [statesOf(form, values, hiddenValues), statesOf(other, values, hiddenValues)];
        for (const { id } of form.fields) expect([id, two.get(id)]).toEqual([id, one.get(id)]);
        const hidden = compiled(form, hiddenValues).hiddenContainers(values);
        const hiddenInOther = compiled(other, hiddenValues).hiddenContainers(values);
        for (const [container, same] of renewed) expect(hiddenInOther.has(same)).toBe(hidden.has(container));
      }),
      RUNS,
    );
  });

  it('never requires a hidden field, and explains each state by the conditions that cause it', () => {
    fc.assert(
      fc.property(forms, storedValues, (form, values) => {
        const rules = compiled(form, hiddenValues);
        const literal = new LiteralRules(form, values, hiddenValues);
        const explained = rules.explainStates(values);
        expect(explained.map(withoutReasons)).toEqual(rules.resolveStates(values));
        for (const [position, state] of explained.entries()) {
          const { visible, required, met, hiddenBy } = state;
          const field = form.fields[position]!;
          const has = (action: string) => met.some((condition) => condition.action === action);
          const hasShow = field.conditions.some(({ action }) => action === 'show');
          expect(visible).toBe(!has('hide') && (!hasShow || has('show')) && hiddenBy === undefined);
          expect(required).toBe(visible && (has('require') || field.isRequired));
          if (!visible) expect(has('require')).toBe(false);
          // `met` has each condition once, in the order of the form.
          expect(met).toEqual(field.conditions.filter((condition) => met.includes(condition)));
          expect(hiddenBy).toEqual(literal.hiddenBy(field));
        }
      }),
      RUNS,
    );
  });

  it('explains the fields of a record by the same steps and entities', () => {
    fc.assert(
      fc.property(forms, storedValues, (form, values) => {
        const literal = new LiteralRules(form, values, hiddenValues);
        const explained = compiled(form, hiddenValues).explainRecords(values, RECORDS);
        for (const [recordId, states] of explained) {
          const entity = RECORDS.find(({ id }) => id === recordId)!.entity;
          const own = form.fields.filter((field) => field.entity === entity);
          expect(states.map(({ hiddenBy }) => hiddenBy)).toEqual(own.map((field) => literal.hiddenBy(field)));
          for (const { visible, met } of states)
            if (!visible) expect(met.filter(({ action }) => action === 'require')).toEqual([]);
        }
      }),
      RUNS,
    );
  });
});

describe('a step or an entity with conditions', () => {
  it('hides its fields as if each of them had its hide conditions', () => {
    const hiding = forms.map(({ fields, containers }) => {
      const hides = (container: RuleContainer): RuleContainer => ({
        conditions: container.conditions.map((condition) => ({
          ...condition,
          action: 'hide' as const,
          group: null,
        })),
      });
      const renewed = new Map(containers.map((container) => [container, hides(container)]));
      const own = ({ containers = [] }: RuleField) =>
        containers.flatMap((container) => renewed.get(container) ?? []);
      return {
        form: {
          fields: fields.map((field) => ({ ...field, containers: own(field) })),
          containers: [...renewed.values()],
        },
        copied: fields.map(({ containers: _, ...field }, position) => ({
          ...field,
          conditions: [
            ...field.conditions,
            ...own(fields[position]!).flatMap(({ conditions }) => conditions),
          ],
        })),
      };
    });
    fc.assert(
      fc.property(hiding, storedValues, ({ form, copied }, values) => {
        expect(compiled(form).resolveStates(values)).toEqual(compileRules(copied).resolveStates(values));
      }),
      RUNS,
    );
  });

  it('changes nothing for fields outside of it, with HIDDEN_VALUES=keep', () => {
    fc.assert(
      fc.property(forms, storedValues, ({ fields, containers }, values) => {
        const without = fields.map(({ containers: _, ...field }) => field);
        const free = fields.filter((field) => field.containers?.length === 0).map(({ id }) => id);
        const [all, own] = [
          statesOf({ fields, containers }, values),
          statesOf({ fields: without, containers: [] }, values),
        ];
        for (const id of free) expect(all.get(id)).toEqual(own.get(id));
      }),
      RUNS,
    );
  });
});

describe('adding a hide condition', () => {
  const hide = (condition: RuleCondition): RuleCondition => ({ ...condition, action: 'hide' });
  const widened = fc.tuple(forms, conditions, fc.nat()).map(([form, condition, at]) => {
    const hidden = at % Math.max(form.fields.length, 1);
    const fields = form.fields.map((field, position): RuleField =>
      position === hidden ? { ...field, conditions: [...field.conditions, hide(condition)] } : field,
    );
    return { form, more: { ...form, fields } };
  });
  const widenedContainers = fc.tuple(forms, conditions, fc.nat()).map(([form, condition, at]) => {
    const widened = form.containers[at % Math.max(form.containers.length, 1)];
    const more = { conditions: [...(widened?.conditions ?? []), hide(condition)] };
    const replaced = (all: readonly RuleContainer[] = []) =>
      all.map((container) => (container === widened ? more : container));
    const fields = form.fields.map((field) => ({ ...field, containers: replaced(field.containers) }));
    return { form, more: { fields, containers: replaced(form.containers) } };
  });

  it.each([
    ['to a field', widened],
    ['to a step or an entity', widenedContainers],
  ])('%s never shows a field that was hidden', (_, cases) => {
    fc.assert(
      fc.property(cases, storedValues, ({ form, more }, values) => {
        const [before, after] = [statesOf(form, values), statesOf(more, values)];
        for (const { id } of form.fields)
          if (!before.get(id)!.visible) expect(after.get(id)!.visible).toBe(false);
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
  const all = ids.map((id): StoredValue => [id, null, 'x']);
  const withoutFirst = all.filter(([id]) => id !== 1);
  const countVisible = (
    fields: readonly RuleField[],
    values: readonly StoredValue[],
    hiddenValues: HiddenValues,
  ) =>
    compileRules(fields, hiddenValues)
      .resolveStates(values)
      .filter(({ visible }) => visible).length;

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

  it.each([
    ['from the first step to the last', ids],
    ['from the last step to the first', ids.toReversed()],
  ])('a chain of steps %s hides in the same way', (_, order) => {
    const chain = following((id) => id - 1, order).map(({ conditions, ...field }) => ({
      ...field,
      conditions: [],
      containers: field.id === 1 ? [] : [{ conditions }],
    }));
    expect(countVisible(chain, all, 'ignore')).toBe(SIZE);
    expect(countVisible(chain, withoutFirst, 'ignore')).toBe(1);
    expect(countVisible(chain, withoutFirst, 'keep')).toBe(SIZE - 1);
  });

  it('a cycle through all steps is evaluated with the stored values, with ignore and with keep', () => {
    const cycle = following((id) => (id === 1 ? SIZE : id - 1), ids).map(({ conditions, ...field }) => ({
      ...field,
      conditions: [],
      containers: [{ conditions }],
    }));
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

const withoutReasons = ({ visible, required }: FieldState): FieldState => ({ visible, required });

type Counts = (id: number) => readonly string[];
type Owner = RuleField | RuleContainer;

/** A literal implementation of the specification's rules, which shares no code with the engine. */
class LiteralRules {
  private readonly known = new Map<string, boolean>();

  constructor(
    private readonly form: RuleForm,
    private readonly values: readonly StoredValue[],
    private readonly hiddenValues: HiddenValues,
  ) {}

  stateOf(field: RuleField, record?: RuleRecord): FieldState {
    const visible = this.isVisible(field, record);
    let required = field.isRequired;
    if (met(field, 'require', this.countsFor(field, record)).length > 0) required = true;
    if (!visible) required = false;
    return { visible, required };
  }

  /** C11: a field is hidden if its step, its entity or its own conditions hide it. */
  private isVisible(field: RuleField, record?: RuleRecord): boolean {
    const key = `${field.id} ${record?.id}`;
    let visible = this.known.get(key);
    if (visible === undefined) {
      visible = this.isShown(field, record);
      for (const container of field.containers ?? []) if (!this.isShown(container)) visible = false;
      this.known.set(key, visible);
    }
    return visible;
  }

  /** Whether the conditions of a field, a step or an entity show it. Those of a step or an entity test all values (C7). */
  isShown(owner: Owner, record?: RuleRecord): boolean {
    const counts = this.countsFor(owner, record);
    let shown = true;
    if (owner.conditions.some(({ action }) => action === 'show'))
      shown = met(owner, 'show', counts).length > 0;
    if (met(owner, 'hide', counts).length > 0) shown = false;
    return shown;
  }

  hiddenBy(field: RuleField) {
    const hidden = (field.containers ?? []).filter((container) => !this.isShown(container));
    if (hidden.length === 0) return undefined;
    // The engine lists steps and entities in the order of the form.
    return this.form.containers
      .filter((container) => hidden.includes(container))
      .map((container) => {
        const hides = met(container, 'hide', this.countsFor(container));
        const shows = container.conditions.filter(({ action }) => action === 'show');
        const because = inGroupOrder(hides.length > 0 ? hides : shows);
        return { container, because };
      });
  }

  /** The values that conditions of `owner` test: those of the record for repeatable fields of its entity (R6). */
  private countsFor(owner: Owner, record?: RuleRecord): Counts {
    const ignoresHidden = this.hiddenValues === 'ignore' && !this.isInCycle(owner);
    return (id) => {
      const other = this.fieldWith(id);
      const isOfEntity = record !== undefined && other?.entity === record.entity;
      // C5, C15: values of hidden fields do not count.
      if (ignoresHidden && other !== undefined && !this.isVisible(other, isOfEntity ? record : undefined))
        return [];
      return this.values
        .filter(([fieldId]) => fieldId === id)
        .filter(([, recordId]) => !(isOfEntity && other.isRepeatable === true) || recordId === record.id)
        .map(([, , text]) => text);
    };
  }

  private isInCycle(owner: Owner): boolean {
    const deciders = ({ conditions }: Owner): Owner[] =>
      conditions
        .filter(({ action }) => action !== 'require')
        .flatMap(({ dependsOnFieldId }) => this.fieldWith(dependsOnFieldId) ?? [])
        .flatMap((field) => [field, ...(field.containers ?? [])]);
    const reached = new Set<Owner>();
    const left = deciders(owner);
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      if (reached.has(next)) continue;
      reached.add(next);
      left.push(...deciders(next));
    }
    return reached.has(owner);
  }

  private fieldWith(id: number): RuleField | undefined {
    return this.form.fields.find((field) => field.id === id);
  }
}

/** The conditions with this action that are met. Those of a group are met together or not at all (C9). */
function met({ conditions }: Owner, action: string, counts: Counts): RuleCondition[] {
  const own = conditions.filter((condition) => condition.action === action);
  return own.filter((condition) =>
    own
      .filter((other) => other === condition || (other.group != null && other.group === condition.group))
      .every((other) => isMetByTheRules(other, counts(other.dependsOnFieldId))),
  );
}

/** Conditions of a group stand together, at the place of the first of them. */
function inGroupOrder(conditions: readonly RuleCondition[]): RuleCondition[] {
  return conditions.flatMap((condition, index) => {
    if (condition.group == null) return [condition];
    const group = conditions.filter((other) => other.group === condition.group);
    return group[0] === conditions[index] ? group : [];
  });
}

function isMetByTheRules(
  { operator, value, testsRetired }: RuleCondition,
  stored: readonly string[],
): boolean {
  // N6: never met, with any operator.
  if (testsRetired === true) return false;
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
