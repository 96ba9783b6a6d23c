import {
  compileRules,
  HIDDEN_VALUES,
  type Action,
  type FieldState,
  type HiddenValues,
  type RuleCondition,
  type RuleContainer,
  type RuleField,
  type RuleRecord,
  type StoredValue,
} from './index.js';

const HIDDEN: FieldState = { visible: false, required: false };
const OPTIONAL: FieldState = { visible: true, required: false };
const REQUIRED: FieldState = { visible: true, required: true };

/** A condition whose result does not depend on stored values, because it tests a field that the form does not have. */
function settled(action: Action, met: boolean): RuleCondition {
  return { dependsOnFieldId: 404, operator: met ? 'empty' : 'not_empty', value: '', action };
}

function when(dependsOnFieldId: number, value: string, action: Action): RuleCondition {
  return { dependsOnFieldId, operator: 'equals', value, action };
}

function field(overrides: Partial<RuleField> = {}): RuleField {
  return { id: 1, isRequired: false, conditions: [], ...overrides };
}

function stateOf(overrides: Partial<RuleField>): FieldState | undefined {
  return compileRules([field(overrides)]).resolveStates([])[0];
}

it.each<[boolean, string, Partial<RuleField>]>([
  [false, 'no conditions', {}],
  [false, 'only require conditions', { conditions: [settled('require', true)] }],
  [true, 'a show condition', { conditions: [settled('require', true), settled('show', true)] }],
  [true, 'a hide condition', { conditions: [settled('hide', false)] }],
  [true, 'a step with conditions', { containers: [{ conditions: [settled('show', true)] }] }],
])('canHide is %s for a field with %s', (canHide, _, overrides) => {
  expect(compileRules([field(overrides)]).canHide).toBe(canHide);
});

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

describe('C11: a step or an entity hides its fields', () => {
  const [shown, notShown] = [settled('show', true), settled('show', false)];
  const [hidden, notHidden] = [settled('hide', true), settled('hide', false)];

  it.each([
    { title: 'no condition', conditions: [], isHidden: false },
    { title: 'a hide condition that is met', conditions: [hidden], isHidden: true },
    { title: 'a hide condition that is not met', conditions: [notHidden], isHidden: false },
    { title: 'a show condition that is met', conditions: [shown], isHidden: false },
    { title: 'a show condition that is not met', conditions: [notShown], isHidden: true },
    { title: 'one of two show conditions that is met', conditions: [notShown, shown], isHidden: false },
    { title: 'both a show and a hide condition that are met', conditions: [shown, hidden], isHidden: true },
  ])('with $title', ({ conditions, isHidden }) => {
    const container: RuleContainer = { conditions };
    const rules = compileRules([
      field({ isRequired: true, containers: [container] }),
      field({ id: 2, isRequired: true }),
    ]);
    expect(rules.resolveStates([])).toEqual([isHidden ? HIDDEN : REQUIRED, REQUIRED]);
    expect([...rules.hiddenContainers([])]).toEqual(isHidden ? [container] : []);
  });

  it('counts conditions with the same group number only together (C9)', () => {
    const grouped = (...all: RuleCondition[]) => ({
      conditions: all.map((condition) => ({ ...condition, group: 1 })),
    });
    const states = [grouped(hidden, notHidden), grouped(hidden, hidden)].map(
      (container) => compileRules([field({ containers: [container] })]).resolveStates([])[0],
    );
    expect(states).toEqual([OPTIONAL, HIDDEN]);
  });

  it('hides a field that its own conditions show, and never shows one that they hide', () => {
    const shows: RuleContainer = { conditions: [shown] };
    const hides: RuleContainer = { conditions: [hidden] };
    expect(stateOf({ conditions: [shown], containers: [shows] })).toEqual(OPTIONAL);
    expect(stateOf({ conditions: [hidden], containers: [shows] })).toEqual(HIDDEN);
    expect(stateOf({ conditions: [shown], containers: [hides] })).toEqual(HIDDEN);
    expect(stateOf({ conditions: [settled('require', true)], containers: [hides] })).toEqual(HIDDEN);
    expect(stateOf({ containers: [shows, hides] })).toEqual(HIDDEN);
    expect(stateOf({ containers: [hides, shows] })).toEqual(HIDDEN);
  });

  it('is evaluated even if it has no fields', () => {
    const [one, other]: RuleContainer[] = [{ conditions: [hidden] }, { conditions: [notHidden] }];
    const rules = compileRules([], 'keep', [one!, other!]);
    expect([...rules.hiddenContainers([])]).toEqual([one]);
    expect(rules.resolveStates([])).toEqual([]);
  });

  it.each(HIDDEN_VALUES)('may be shown by a field of its own, with HIDDEN_VALUES=%s', (hiddenValues) => {
    const step: RuleContainer = { conditions: [when(1, 'yes', 'show')] };
    const rules = compileRules([field({ containers: [step] })], hiddenValues);
    expect(rules.resolveStates([])).toEqual([HIDDEN]);
    expect(rules.resolveStates([[1, null, 'yes']])).toEqual([OPTIONAL]);
  });

  it('removes the values of its fields with HIDDEN_VALUES=ignore, over any number of steps (C15)', () => {
    const steps = [1, 2, 3].map((id): RuleContainer => ({ conditions: [when(id, 'yes', 'show')] }));
    const fields = [1, 2, 3, 4].map((id) =>
      field({ id, containers: steps.filter((_, index) => index === id - 2) }),
    );
    const values = [2, 3, 4].map((id): StoredValue => [id, null, 'yes']);
    const visible = (hiddenValues: HiddenValues, first: string) =>
      compileRules(fields, hiddenValues)
        .resolveStates([[1, null, first], ...values])
        .map((state) => state.visible);
    expect(visible('ignore', 'yes')).toEqual([true, true, true, true]);
    expect(visible('ignore', 'no')).toEqual([true, false, false, false]);
    expect(visible('keep', 'no')).toEqual([true, false, true, true]);
  });

  it('evaluates steps that show each other with the stored values (C15)', () => {
    const [one, other]: RuleContainer[] = [
      { conditions: [when(2, 'yes', 'show')] },
      { conditions: [when(1, 'yes', 'show')] },
    ];
    const rules = compileRules(
      [
        field({ containers: [one!] }),
        field({ id: 2, containers: [other!] }),
        field({ id: 3, conditions: [when(2, 'yes', 'show')] }),
      ],
      'ignore',
    );
    expect(rules.resolveStates([[2, null, 'yes']])).toEqual([OPTIONAL, HIDDEN, HIDDEN]);
    expect(rules.resolveStates([[1, null, 'yes']])).toEqual([HIDDEN, OPTIONAL, HIDDEN]);
  });
});

describe('an explanation of a field that a step or an entity hides', () => {
  const [shown, notShown, otherNotShown] = [
    settled('show', true),
    settled('show', false),
    settled('show', false),
  ];
  const [hidden, alsoHidden, notHidden] = [
    settled('hide', true),
    settled('hide', true),
    settled('hide', false),
  ];
  const hiddenBy = (overrides: Partial<RuleField>) =>
    compileRules([field(overrides)]).explainStates([])[0]?.hiddenBy;

  it('has the hide conditions that are met, or else all show conditions', () => {
    const hides: RuleContainer = { conditions: [notShown, hidden, notHidden, alsoHidden] };
    const isNotShown: RuleContainer = { conditions: [notShown, notHidden, otherNotShown] };
    expect(hiddenBy({ containers: [hides] })).toEqual([{ container: hides, because: [hidden, alsoHidden] }]);
    expect(hiddenBy({ containers: [isNotShown] })).toEqual([
      { container: isNotShown, because: [notShown, otherNotShown] },
    ]);
  });

  it('names the step and the entity if both hide the field, and neither if both show it', () => {
    const step: RuleContainer = { conditions: [hidden] };
    const entity: RuleContainer = { conditions: [notShown] };
    expect(hiddenBy({ containers: [step, entity] })).toEqual([
      { container: step, because: [hidden] },
      { container: entity, because: [notShown] },
    ]);
    expect(hiddenBy({ containers: [{ conditions: [shown] }, { conditions: [notHidden] }] })).toBeUndefined();
    expect(hiddenBy({ conditions: [hidden] })).toBeUndefined();
  });

  it('has the met conditions of the field too, except require', () => {
    const required = settled('require', true);
    const conditions = [shown, required, notHidden];
    const [state] = compileRules([
      field({ isRequired: true, conditions, containers: [{ conditions: [hidden] }] }),
    ]).explainStates([]);
    expect(state).toMatchObject({ ...HIDDEN, met: [shown] });
  });
});

describe('R6: a step or an entity in records', () => {
  const records: RuleRecord[] = [
    { id: 1, entity: 'e' },
    { id: 2, entity: 'e' },
    { id: 3, entity: 'f' },
  ];
  const inEntity = (id: number, overrides: Partial<RuleField> = {}) =>
    field({ id, entity: 'e', isRepeatable: true, ...overrides });

  it('tests the values of all records, also if it tests a field of its own records (C7)', () => {
    const step: RuleContainer = { conditions: [when(2, 'yes', 'show')] };
    const rules = compileRules([
      inEntity(1, { containers: [step] }),
      inEntity(2),
      inEntity(3, { conditions: [when(2, 'yes', 'show')] }),
    ]);
    const statesFor = (text: string) => [...rules.resolveRecords([[2, 1, text]], records)];
    expect(statesFor('yes')).toEqual([
      [1, [OPTIONAL, OPTIONAL, OPTIONAL]],
      [2, [OPTIONAL, OPTIONAL, HIDDEN]],
      [3, []],
    ]);
    expect(statesFor('no')).toEqual([
      [1, [HIDDEN, OPTIONAL, HIDDEN]],
      [2, [HIDDEN, OPTIONAL, HIDDEN]],
      [3, []],
    ]);
  });

  it('hides the fields of all records of a hidden entity, with the reason, and no others', () => {
    const hidden = settled('hide', true);
    const entity: RuleContainer = { conditions: [hidden] };
    const rules = compileRules([
      inEntity(1, { isRequired: true, containers: [entity] }),
      field({ id: 2, entity: 'f' }),
    ]);
    const explained = { ...HIDDEN, met: [], hiddenBy: [{ container: entity, because: [hidden] }] };
    expect([...rules.explainRecords([], records)]).toEqual([
      [1, [explained]],
      [2, [explained]],
      [3, [{ ...OPTIONAL, met: [] }]],
    ]);
  });

  it('removes the values of its fields from each record with HIDDEN_VALUES=ignore (C15)', () => {
    const step: RuleContainer = { conditions: [when(9, 'yes', 'show')] };
    const fields = [
      inEntity(1, { containers: [step] }),
      inEntity(2, { conditions: [when(1, 'yes', 'show')] }),
      field({ id: 9 }),
    ];
    const statesFor = (hiddenValues: HiddenValues) => [
      ...compileRules(fields, hiddenValues).resolveRecords([[1, 2, 'yes']], records.slice(0, 2)),
    ];
    expect(statesFor('keep')).toEqual([
      [1, [HIDDEN, HIDDEN]],
      [2, [HIDDEN, OPTIONAL]],
    ]);
    expect(statesFor('ignore')).toEqual([
      [1, [HIDDEN, HIDDEN]],
      [2, [HIDDEN, HIDDEN]],
    ]);
  });

  it('decides for each record whether the single value of a field counts, with HIDDEN_VALUES=ignore (C5)', () => {
    const rules = compileRules(
      [
        inEntity(1),
        field({ id: 2, entity: 'e', conditions: [when(1, 'no', 'hide')] }),
        inEntity(3, { conditions: [when(2, 'yes', 'show')] }),
      ],
      'ignore',
    );
    const values: StoredValue[] = [
      [1, 1, 'no'],
      [2, null, 'yes'],
    ];
    expect(rules.resolveStates(values)).toEqual([OPTIONAL, HIDDEN, HIDDEN]);
    expect([...rules.resolveRecords(values, records.slice(0, 2))]).toEqual([
      [1, [OPTIONAL, HIDDEN, HIDDEN]],
      [2, [OPTIONAL, OPTIONAL, OPTIONAL]],
    ]);
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

  describe.each(HIDDEN_VALUES)('with steps and entities, and HIDDEN_VALUES=%s,', (hiddenValues) => {
    /** Milliseconds to compile the fields, and to evaluate them in each way. */
    const costOf = (fields: readonly RuleField[], records: readonly RuleRecord[]) => {
      const values = fields.map(({ id }): StoredValue => [id, 1, 'x']);
      const rules = compileRules(fields, hiddenValues);
      return (
        fastest(() => compileRules(fields, hiddenValues)) +
        fastest(() => rules.resolveStates(values)) +
        fastest(() => rules.explainStates(values)) +
        fastest(() => rules.hiddenContainers(values)) +
        fastest(() => [...rules.resolveRecords(values, records)]) +
        fastest(() => [...rules.explainRecords(values, records)])
      );
    };
    const records = [{ id: 1, entity: 'e' }];
    const hides = (dependsOnFieldId: number): RuleContainer => ({
      conditions: [{ dependsOnFieldId, operator: 'not_empty', value: '', action: 'hide' }],
    });
    const inEntity = (id: number, containers: readonly RuleContainer[]) =>
      field({ id, entity: 'e', isRepeatable: true, containers });
    const forms: Record<string, (count: number) => RuleField[]> = {
      'a step for each field, in a chain': (count) =>
        Array.from({ length: count }, (_, id) => inEntity(id, [hides(id + 1)])),
      'one entity for all fields': (count) => {
        const entity = hides(count);
        return Array.from({ length: count }, (_, id) => inEntity(id, [entity]));
      },
      'one entity that tests all of its fields': (count) => {
        const entity = { conditions: Array.from({ length: count }, (_, id) => hides(id).conditions[0]!) };
        return Array.from({ length: count }, (_, id) => inEntity(id, [entity]));
      },
      'one entity, and a step that tests another for each field': (count) => {
        const entity = hides(count);
        return Array.from({ length: count }, (_, id) => inEntity(id, [hides(count - 1 - id), entity]));
      },
    };

    it.each(Object.keys(forms))('grows linearly for %s', (name) => {
      // With fifty times the fields, a quadratic cost would be 2,500 times as high.
      const [few, many] = [200, 10_000].map((count) => costOf(forms[name]!(count), records));
      expect(many).toBeLessThan(1_000 * few!);
    });
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
