import { readFileSync } from 'node:fs';
import {
  ACTIONS,
  compileRules,
  type FieldState,
  HIDDEN_VALUES,
  OPERATORS,
  type RuleContainer,
  type RuleField,
  type StoredValue,
} from './index.js';

type Conditions = readonly (Record<'depends_on' | 'operator' | 'value' | 'action', string> & {
  readonly group: number | null;
})[];

interface Case {
  readonly name: string;
  readonly hidden_values: string;
  readonly fields: readonly {
    readonly code: string;
    readonly is_required: boolean;
    readonly is_repeatable: boolean;
    readonly entity: string | null;
    /** Whether the field is retired. It then has no state. Omitted if it is not. */
    readonly retired?: boolean;
    /** The number of the step of the field. Omitted if the case has no steps. */
    readonly step?: number;
    readonly conditions: Conditions;
  }[];
  readonly steps?: readonly { readonly step_number: number; readonly conditions: Conditions }[];
  readonly entities?: readonly { readonly name: string; readonly conditions: Conditions }[];
  readonly values: readonly {
    readonly field: string;
    readonly record: number | null;
    readonly value: string;
  }[];
  readonly records: readonly { readonly id: number; readonly entity: string }[];
  /** The steps and entities that their conditions hide. Omitted if the case has no steps. */
  readonly hidden?: { readonly steps: readonly number[]; readonly entities: readonly string[] };
  readonly states: Readonly<Record<string, FieldState>>;
  readonly record_states?: Readonly<Record<string, Readonly<Record<string, FieldState>>>>;
}
const { cases } = JSON.parse(readFileSync('conditions-vectors.json', 'utf8')) as { cases: Case[] };

function evaluate({ fields: all, steps = [], entities = [], values, records, hidden_values }: Case) {
  const idOf = new Map(all.map(({ code }, index) => [code, index + 1]));
  const fields = all.filter(({ retired }) => retired !== true);
  const retired = new Set(all.filter((field) => field.retired).map(({ code }) => code));
  const compiled = (conditions: Conditions) =>
    conditions.map(({ depends_on, operator, value, action, group }) => ({
      dependsOnFieldId: idOf.get(depends_on) ?? 0,
      operator: OPERATORS.find((one) => one === operator)!,
      action: ACTIONS.find((one) => one === action)!,
      ...{ value, group, testsRetired: retired.has(depends_on) },
    }));
  const containers = new Map<string | number, RuleContainer>([
    ...steps.map((step) => [step.step_number, { conditions: compiled(step.conditions) }] as const),
    ...entities.map((one) => [one.name, { conditions: compiled(one.conditions) }] as const),
  ]);
  const rules = compileRules(
    fields.map(({ code, is_required, is_repeatable, entity, step, conditions }) => ({
      id: idOf.get(code) ?? 0,
      isRequired: is_required,
      isRepeatable: is_repeatable,
      entity: entity ?? undefined,
      conditions: compiled(conditions),
      containers: [step, entity].flatMap((container) => containers.get(container ?? '') ?? []),
    })) satisfies RuleField[],
    HIDDEN_VALUES.find((one) => one === hidden_values),
    [...containers.values()],
  );
  const stored = values.map(({ field, record, value }): StoredValue => [idOf.get(field) ?? 0, record, value]);
  const byCode = (of: readonly Case['fields'][number][], states: readonly FieldState[]) =>
    Object.fromEntries(of.map(({ code }, index) => [code, states[index]]));
  const hidden = rules.hiddenContainers(stored);
  const isHidden = (name: string | number) => hidden.has(containers.get(name)!);
  const recordStates = new Map(rules.resolveRecords(stored, records));
  return {
    hidden: {
      steps: steps.map(({ step_number }) => step_number).filter(isHidden),
      entities: entities.map(({ name }) => name).filter(isHidden),
    },
    states: byCode(fields, rules.resolveStates(stored)),
    record_states: Object.fromEntries(
      records.map(({ id, entity }) => [
        id,
        byCode(
          fields.filter((field) => field.entity === entity),
          recordStates.get(id) ?? [],
        ),
      ]),
    ),
  };
}

describe('conditions-vectors.json (C2 to C7, C9 to C11, C15, N6, R6)', () => {
  it.each(cases.map((one) => [one.name, one] as const))('%s', (_, one) => {
    const { hidden = { steps: [], entities: [] }, states, record_states = {} } = one;
    expect(evaluate(one)).toEqual({ hidden, states, record_states });
  });

  it('has each operator, action, setting and kind of owner, with both outcomes', () => {
    const conditions = cases.flatMap(({ fields }) => fields.flatMap((field) => field.conditions));
    expect(new Set(conditions.map(({ operator }) => operator))).toEqual(new Set(OPERATORS));
    expect(new Set(conditions.map(({ action }) => action))).toEqual(new Set(ACTIONS));
    expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
    const both = new Set([true, false]);
    for (const operator of OPERATORS) {
      const ofOperator = cases.filter(({ name }) => name.startsWith(`${operator} `));
      expect(new Set(ofOperator.map(({ states }) => states['b']?.visible))).toEqual(both);
    }
    for (const value of HIDDEN_VALUES) {
      const hidden = cases.flatMap((one) => (one.hidden_values === value ? (one.hidden ?? []) : []));
      expect(new Set(hidden.map(({ steps }) => steps.length > 0))).toEqual(both);
      expect(new Set(hidden.map(({ entities }) => entities.length > 0))).toEqual(both);
    }
  });

  it('has conditions on retired fields for each operator, and in a group, a step and an entity (N6)', () => {
    const testing = (owners: (one: Case) => readonly { readonly conditions: Conditions }[]) =>
      cases.flatMap((one) => {
        const retired = one.fields.flatMap(({ code, retired }) => (retired ? [code] : []));
        const conditions = owners(one).flatMap((owner) => owner.conditions);
        return conditions.filter(({ depends_on }) => retired.includes(depends_on));
      });
    const ofFields = testing(({ fields }) => fields);
    expect(new Set(ofFields.map(({ operator }) => operator))).toEqual(new Set(OPERATORS));
    expect(ofFields.some(({ group }) => group !== null)).toBe(true);
    expect(testing(({ steps = [] }) => steps)).not.toEqual([]);
    expect(testing(({ entities = [] }) => entities)).not.toEqual([]);
  });
});
