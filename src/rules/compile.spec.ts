import {
  compileRules,
  HIDDEN_VALUES,
  type Action,
  type FieldState,
  type RuleCondition,
  type RuleField,
  type StoredValue,
} from './index.js';

const HIDDEN: FieldState = { visible: false, required: false };
const OPTIONAL: FieldState = { visible: true, required: false };
const REQUIRED: FieldState = { visible: true, required: true };

/** A condition whose result does not depend on stored values, because it tests a field that the form does not have. */
function settled(action: Action, met: boolean): RuleCondition {
  return { dependsOnFieldId: 404, operator: met ? 'empty' : 'not_empty', value: '', action };
}

function field(overrides: Partial<RuleField> = {}): RuleField {
  return { id: 1, isRequired: false, conditions: [], ...overrides };
}

function stateOf(overrides: Partial<RuleField>): FieldState | undefined {
  return compileRules([field(overrides)]).resolveStates([])[0];
}

describe('whether a field is visible', () => {
  const [shown, notShown] = [settled('show', true), settled('show', false)];
  const [hidden, notHidden] = [settled('hide', true), settled('hide', false)];

  it.each([
    { title: 'shows a field without conditions', conditions: [], state: OPTIONAL },
    { title: 'hides it when its hide condition is met', conditions: [hidden], state: HIDDEN },
    { title: 'shows it when its hide condition is not met', conditions: [notHidden], state: OPTIONAL },
    {
      title: 'hides it when any of its hide conditions is met',
      conditions: [notHidden, hidden],
      state: HIDDEN,
    },
    { title: 'shows it when its show condition is met', conditions: [shown], state: OPTIONAL },
    { title: 'hides it when its show condition is not met', conditions: [notShown], state: HIDDEN },
    {
      title: 'shows it when any of its show conditions is met',
      conditions: [notShown, shown],
      state: OPTIONAL,
    },
    { title: 'hides it when both show and hide are met', conditions: [shown, hidden], state: HIDDEN },
    { title: 'hides it when neither show nor hide is met', conditions: [notShown, notHidden], state: HIDDEN },
    { title: 'shows it when only show is met', conditions: [notHidden, shown], state: OPTIONAL },
    {
      title: 'shows it when it only has a require condition, which is not met',
      conditions: [settled('require', false)],
      state: OPTIONAL,
    },
  ])('$title', ({ conditions, state }) => {
    expect(stateOf({ conditions })).toEqual(state);
  });
});

describe('C6: the required state is the schema default unless a require condition is met', () => {
  const [required, notRequired] = [settled('require', true), settled('require', false)];
  const hidden = settled('hide', true);

  it.each([
    { title: 'keeps an optional default', isRequired: false, conditions: [notRequired], state: OPTIONAL },
    { title: 'keeps a required default', isRequired: true, conditions: [notRequired], state: REQUIRED },
    {
      title: 'requires the field when its require condition is met',
      isRequired: false,
      conditions: [required],
      state: REQUIRED,
    },
    {
      title: 'requires the field when any of its require conditions is met',
      isRequired: false,
      conditions: [notRequired, required],
      state: REQUIRED,
    },
    { title: 'keeps the default without conditions', isRequired: true, conditions: [], state: REQUIRED },
    {
      title: 'does not require a hidden field that is required by default',
      isRequired: true,
      conditions: [hidden],
      state: HIDDEN,
    },
    {
      title: 'does not require a hidden field whose require condition is met',
      isRequired: true,
      conditions: [required, hidden],
      state: HIDDEN,
    },
  ])('$title', ({ isRequired, conditions, state }) => {
    expect(stateOf({ isRequired, conditions })).toEqual(state);
  });
});

describe('C5: only stored values are read', () => {
  const shownBy = (dependsOnFieldId: number): RuleCondition => ({
    dependsOnFieldId,
    operator: 'equals',
    value: 'yes',
    action: 'show',
  });

  it('counts the value of a hidden field', () => {
    const rules = compileRules([
      field(),
      field({ id: 2, conditions: [shownBy(1)] }),
      field({ id: 3, conditions: [shownBy(2)] }),
    ]);
    expect(rules.resolveStates([[2, null, 'yes']])).toEqual([OPTIONAL, HIDDEN, OPTIONAL]);
  });

  it('resolves fields that depend on each other, on themselves and on later fields', () => {
    const rules = compileRules([
      field({ conditions: [shownBy(2)] }),
      field({ id: 2, conditions: [shownBy(1)] }),
      field({ id: 3, conditions: [shownBy(3)] }),
    ]);
    expect(rules.resolveStates([[1, null, 'yes']])).toEqual([HIDDEN, OPTIONAL, HIDDEN]);
    expect(rules.resolveStates([[3, null, 'yes']])).toEqual([HIDDEN, HIDDEN, OPTIONAL]);
  });

  it('keeps no state between evaluations', () => {
    const rules = compileRules([
      field({ conditions: [{ dependsOnFieldId: 2, operator: 'greater_than', value: '5', action: 'show' }] }),
    ]);
    const statesFor = (stored: string) => rules.resolveStates([[2, null, stored]]);
    expect(['6', '4', 'six', '7'].map(statesFor)).toEqual([[OPTIONAL], [HIDDEN], [HIDDEN], [OPTIONAL]]);
  });

  it('returns a state for every field, in the order of the fields and not of their ids', () => {
    const rules = compileRules([
      field({ id: 9, isRequired: true }),
      field({ id: 3, conditions: [shownBy(9)] }),
      field({ id: 5 }),
    ]);
    expect(rules.resolveStates([])).toEqual([REQUIRED, HIDDEN, OPTIONAL]);
    expect(compileRules([]).resolveStates([])).toEqual([]);
  });
});

describe('the cost of an evaluation', () => {
  const comparing = (count: number, dependsOn: (id: number) => number) =>
    compileRules(
      Array.from({ length: count }, (_, position) => ({
        id: position,
        isRequired: false,
        conditions: [
          {
            dependsOnFieldId: dependsOn(position),
            operator: 'greater_than',
            value: `${position}.5`,
            action: 'show',
          },
        ],
      })),
    );

  it.each(HIDDEN_VALUES)(
    'grows linearly with the length of a chain of fields, with HIDDEN_VALUES=%s',
    (hiddenValues) => {
      const costOf = (count: number) => {
        const fields = Array.from({ length: count }, (_, id) =>
          field({
            id,
            conditions: [{ dependsOnFieldId: id + 1, operator: 'empty', value: '', action: 'hide' }],
          }),
        );
        const values = fields.map(({ id }): StoredValue => [id, null, 'x']);
        const compiled = fastest(() => compileRules(fields, hiddenValues));
        const rules = compileRules(fields, hiddenValues);
        return compiled + fastest(() => rules.resolveStates(values));
      };
      // With fifty times the fields, a quadratic cost would be 2,500 times as high.
      expect(costOf(10_000)).toBeLessThan(1_000 * costOf(200));
    },
  );

  it('grows linearly with the number of conditions', () => {
    const costOf = (count: number) => {
      const rules = comparing(count, (id) => count - 1 - id);
      const values = Array.from({ length: count }, (_, id): StoredValue => [id, null, `${id}`]);
      return fastest(() => rules.resolveStates(values));
    };
    // With fifty times the conditions, a quadratic cost would be 2,500 times as high.
    expect(costOf(10_000)).toBeLessThan(1_000 * costOf(200));
  });

  it('parses a long number once, even if many conditions compare it', () => {
    const values: StoredValue[] = [[0, null, '7'.repeat(65_535)]];
    const one = comparing(1, () => 0);
    const many = comparing(1_000, () => 0);
    expect(fastest(() => many.resolveStates(values))).toBeLessThan(
      100 * fastest(() => one.resolveStates(values)),
    );
  });
});

function fastest(run: () => unknown): number {
  const times = Array.from({ length: 9 }, () => {
    const start = performance.now();
    run();
    return performance.now() - start;
  });
  return Math.min(...times);
}
