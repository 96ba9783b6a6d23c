import { readFileSync } from 'node:fs';
import {
  ACTIONS,
  compileRules,
  type FieldState,
  type Formula,
  FORMULA_OPS,
  HIDDEN_VALUES,
  OPERATORS,
  runToCompletion,
  type EngineContainer,
  type StoredValue,
} from './index.js';
import { listReader } from '../../forms/option-list.js';

/** A case of the file. `retired`, `step`, `steps`, `entities`, `hidden` and `record_states` may be omitted. */
type Case = any;
type Conditions = readonly { operator: string; action: string; depends_on: string; group: number | null }[];
const { cases }: { cases: Case[] } = JSON.parse(readFileSync('schemas/conditions-vectors.json', 'utf8'));

function evaluate({ fields: all, steps = [], entities = [], today = [], ...one }: Case) {
  const { values, records, hidden_values } = one;
  const idOf = new Map<string, number>(all.map(({ code }: any, index: number) => [code, index + 1]));
  const fields: any[] = all.filter(({ retired }: any) => retired !== true);
  const isRetired = (code: string) => all.some((field: any) => field.code === code && field.retired);
  const optionsOf = (code: string): string[] => all.find((field: any) => field.code === code).options ?? [];
  const compiled = (conditions: any[]) =>
    conditions.map(({ depends_on, value_field, ...condition }) => ({
      ...condition,
      ...{ dependsOnFieldId: idOf.get(depends_on), choicesIn: listReader(optionsOf(depends_on)) },
      testsRetired: isRetired(depends_on) || (value_field !== undefined && isRetired(value_field)),
      ...(value_field !== undefined && { valueFieldId: idOf.get(value_field) }),
    }));
  const containers = new Map<string | number, EngineContainer>(
    [...steps, ...entities].map((one) => [
      one.step_number ?? one.name,
      { conditions: compiled(one.conditions) },
    ]),
  );
  const rules = compileRules(
    fields.map(({ code, is_required, is_repeatable, entity, step, conditions, computed }) => ({
      ...{ id: idOf.get(code)!, code, computed, isRequired: is_required, isRepeatable: is_repeatable },
      ...{ entity: entity ?? undefined, conditions: compiled(conditions) },
      containers: [step, entity].flatMap((container) => containers.get(container) ?? []),
    })),
    {
      today: () => ({ earliest: today[0], latest: today.at(-1), single: today[0] }),
      ...{ hiddenValues: hidden_values, containers: [...containers.values()] },
    },
  );
  const given = values.map(({ field, record, value }: any): StoredValue => [idOf.get(field)!, record, value]);
  const stored =
    rules.computed === undefined ? given : runToCompletion(rules.computed.compute(given, records));
  const results = stored.filter(([id]: StoredValue) => rules.computed?.fieldIds.has(id));
  const byCode = (of: any[], states: readonly FieldState[] = []) =>
    Object.fromEntries(of.map(({ code }, index) => [code, states[index]]));
  const hidden = rules.hiddenContainers(stored);
  const isHidden = (name: string | number) => hidden.has(containers.get(name)!);
  const recordStates = new Map(rules.resolveRecords(stored, records));
  return {
    computed: new Set(
      results.map(([id, record, value]: StoredValue) => ({ field: all[id - 1].code, record, value })),
    ),
    hidden: {
      steps: steps.map(({ step_number }: any) => step_number).filter(isHidden),
      entities: entities.map(({ name }: any) => name).filter(isHidden),
    },
    states: byCode(fields, rules.resolveStates(stored)),
    record_states: Object.fromEntries(
      records.map(({ id, entity }: any) => [
        id,
        byCode(
          fields.filter((field) => field.entity === entity),
          recordStates.get(id),
        ),
      ]),
    ),
  };
}

describe('conditions-vectors.json (C2 to C7, C9 to C11, C15 to C18, K1, N6, R6)', () => {
  it.each(cases.map((one) => [one.name, one] as const))('%s', (_, one) => {
    const { hidden = { steps: [], entities: [] }, states, record_states = {}, computed = [] } = one;
    expect(evaluate(one)).toEqual({ hidden, states, record_states, computed: new Set(computed) });
  });

  const conditionsOf = (owners: (one: Case) => { conditions: Conditions }[] = ({ fields }) => fields) =>
    cases.flatMap((one) =>
      owners(one).flatMap(({ conditions }) =>
        conditions.map((condition) => ({
          ...condition,
          isRetired: one.fields.some((field: any) => field.code === condition.depends_on && field.retired),
        })),
      ),
    );
  const both = new Set([true, false]);

  it('has each operator, action, setting and kind of owner, with both outcomes', () => {
    expect(new Set(conditionsOf().map(({ action }) => action))).toEqual(new Set(ACTIONS));
    expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
    for (const operator of OPERATORS) {
      const ofOperator = cases.filter(({ name }) => name.startsWith(`${operator} `));
      expect(new Set(ofOperator.map(({ states }) => states.b.visible))).toEqual(both);
    }
    for (const value of HIDDEN_VALUES) {
      const hidden = cases.flatMap((one) => (one.hidden_values === value ? (one.hidden ?? []) : []));
      expect(new Set(hidden.map(({ steps }) => steps.length > 0))).toEqual(both);
      expect(new Set(hidden.map(({ entities }) => entities.length > 0))).toEqual(both);
    }
  });

  it('has conditions on retired fields for each operator, and in a group, a step and an entity (N6)', () => {
    const retired = conditionsOf().filter(({ isRetired }) => isRetired);
    expect(new Set(retired.map(({ operator }) => operator))).toEqual(new Set(OPERATORS));
    expect(retired.some(({ group }) => group !== null)).toBe(true);
    for (const owners of ['steps', 'entities'])
      expect(conditionsOf((one) => one[owners] ?? []).some(({ isRetired }) => isRetired)).toBe(true);
  });

  it('has each operation of formulas', () => {
    const opsIn = ({ op, of }: Formula): string[] => [
      op,
      ...of.flatMap((operand) => (typeof operand !== 'string' && 'op' in operand ? opsIn(operand) : [])),
    ];
    const formulas = cases.flatMap(({ fields }) => fields.flatMap(({ computed }: any) => computed ?? []));
    expect(new Set(formulas.flatMap(opsIn))).toEqual(new Set(FORMULA_OPS));
  });
});
