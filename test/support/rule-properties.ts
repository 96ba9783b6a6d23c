import fc from 'fast-check';
import {
  ACTIONS,
  OPERATORS,
  compileRules,
  type ExplainedState,
  type FieldState,
  HIDDEN_VALUES,
  type HiddenValues,
  type EngineCondition,
  type EngineContainer,
  type EngineField,
  type EngineRecord,
  runToCompletion,
  type StoredValue,
} from '../../src/conditions/engine/index.js';
import { listReader } from '../../src/forms/option-list.js';
import { isComparisonMet, isMetBy } from '../fuzz/model-conditions.js';

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
  '2024-02-29',
  '2024-03-01',
  'today',
  'today+1d',
  'today-12m',
];
/** Two dates are today, as without a time zone. */
const TODAYS = ['2024-02-29', '2024-03-01'] as const;
const today = { earliest: TODAYS[0], latest: TODAYS[1], single: TODAYS[0] };
const OPTIONS = ['a', 'ab', 'a,b', 'b', ' 2'];
const choicesIn = Object.assign(listReader(OPTIONS), { toString: () => 'choicesIn' });
const UNCOMPARED: readonly string[] = ['in', 'not_in', 'empty', 'not_empty'];
const MAX_FIELDS = 6;

/** The fields of a form, and its steps and entities with conditions. Some of these have no fields. */
interface EngineForm {
  readonly fields: readonly EngineField[];
  readonly containers: readonly EngineContainer[];
}

const RECORDS: readonly EngineRecord[] = [
  { id: 1, entity: 'e' },
  { id: 2, entity: 'e' },
  { id: 3, entity: 'f' },
];

const texts = fc.oneof(fc.constantFrom(...TEXTS), fc.string({ unit: 'grapheme', maxLength: 5 }));
const CIRCUMSTANCES = { todays: TODAYS, options: OPTIONS };
const options = { today: () => today };

const conditionsWith = <Action>(...actions: Action[]) =>
  fc
    .record({
      // No form has a field with the highest id.
      dependsOnFieldId: fc.integer({ min: 1, max: MAX_FIELDS + 1 }),
      operator: fc.constantFrom(...OPERATORS),
      value: texts,
      valueFieldId: fc.constantFrom(null, null, 1, 2, 3, MAX_FIELDS + 1),
      choicesIn: fc.constant(choicesIn),
      action: fc.constantFrom(...actions),
      group: fc.constantFrom(null, null, 1),
      testsRetired: fc.constantFrom(false, false, false, true),
    })
    .map(({ valueFieldId, ...condition }) =>
      valueFieldId === null || UNCOMPARED.includes(condition.operator)
        ? condition
        : { ...condition, value: '', valueFieldId },
    );
const containers = fc.record({
  conditions: fc.array(conditionsWith('show' as const, 'hide' as const), { maxLength: 3 }),
});
const plannedFields = fc.record({
  isRequired: fc.boolean(),
  isRepeatable: fc.boolean(),
  entity: fc.constantFrom<'e' | 'f' | undefined>(undefined, 'e', 'f'),
  step: fc.nat(2),
  conditions: fc.array(conditionsWith(...ACTIONS), { maxLength: 4 }),
});
/** Each field belongs to one of three steps and maybe to one of two entities. A container without conditions is left out. */
const forms = fc
  .record({
    steps: fc.tuple(containers, containers, containers),
    entities: fc.record({ e: containers, f: containers }),
    planned: fc.array(plannedFields, { maxLength: MAX_FIELDS }),
  })
  .map(({ steps, entities, planned }): EngineForm => {
    const decides = ({ conditions }: EngineContainer) => conditions.length > 0;
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

/** On a failure, fast-check shrinks the case and prints the seed and the path that reproduce it. */
export function ruleProperties(numRuns: number): void {
  describe.each(HIDDEN_VALUES)('any form and any values, with HIDDEN_VALUES=%s', (hiddenValues) => {
    it('have the states and reasons of a literal implementation (C2 to C7, C9 to C11, C15, N6)', () => {
      const seen = new Set<string>();
      fc.assert(
        fc.property(forms, storedValues, (form, values) => {
          const literal = new LiteralRules(form, values, hiddenValues);
          const rules = compileRules(form.fields, { ...options, hiddenValues, containers: form.containers });
          const expected = form.fields.map((field) => literal.explain(field));
          expect(runToCompletion(rules.explainStates(values))).toEqual(expected);
          expect(rules.resolveStates(values)).toEqual(expected.map(withoutReasons));
          const hidden = form.containers.filter((container) => !literal.isShown(container));
          expect([...rules.hiddenContainers(values)]).toEqual(hidden);
          const canHide = form.fields.some((field) =>
            field.conditions.some(({ action }) => action !== 'require'),
          );
          expect(rules.canHide).toBe(canHide || form.containers.length > 0);
          for (const state of expected) seen.add(JSON.stringify(withoutReasons(state)));
          for (const container of form.containers) seen.add(`container ${hidden.includes(container)}`);
        }),
        { numRuns },
      );
      expect(seen.size).toBe(5);
    });

    it('have them in records too (R6)', () => {
      fc.assert(
        fc.property(forms, storedValues, (form, values) => {
          const literal = new LiteralRules(form, values, hiddenValues);
          const rules = compileRules(form.fields, { ...options, hiddenValues, containers: form.containers });
          const expected = RECORDS.map((record): [number, ExplainedState[]] => {
            const own = form.fields.filter(({ entity }) => entity === record.entity);
            return [record.id, own.map((field) => literal.explain(field, record))];
          });
          expect([...rules.explainRecords(values, RECORDS)]).toEqual(expected);
          expect([...rules.resolveRecords(values, RECORDS)]).toEqual(
            expected.map(([id, states]) => [id, states.map(withoutReasons)]),
          );
        }),
        { numRuns },
      );
    });
  });
}

const withoutReasons = ({ visible, required }: FieldState): FieldState => ({ visible, required });

type Counts = (id: number) => readonly string[];
type Owner = EngineField | EngineContainer;

/** A literal implementation of the contract's rules, which shares no code with the engine. */
export class LiteralRules {
  private readonly known = new Map<string, boolean>();

  constructor(
    private readonly form: EngineForm,
    private readonly values: readonly StoredValue[],
    private readonly hiddenValues: HiddenValues,
  ) {}

  explain(field: EngineField, record?: EngineRecord): ExplainedState {
    const visible = this.isVisible(field, record);
    const met = metIn(field.conditions, this.countsFor(field, record));
    let required = field.isRequired;
    if (met.some(({ action }) => action === 'require')) required = true;
    if (!visible) required = false;
    const shown = inGroupOrder(met.filter(({ action }) => visible || action !== 'require'));
    const hiddenBy = this.hiddenBy(field);
    return { visible, required, met: shown, ...(hiddenBy.length > 0 && { hiddenBy }) };
  }

  /** C11: a field is hidden if its step, its entity or its own conditions hide it. */
  isVisible(field: EngineField, record?: EngineRecord): boolean {
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
  isShown(owner: Owner, record?: EngineRecord): boolean {
    const deciding = owner.conditions.filter(({ action }) => action !== 'require');
    const met = metIn(deciding, this.countsFor(owner, record)).map(({ action }) => action);
    const hasShow = deciding.some(({ action }) => action === 'show');
    return (!hasShow || met.includes('show')) && !met.includes('hide');
  }

  private hiddenBy(field: EngineField) {
    const hidden = (field.containers ?? []).filter((container) => !this.isShown(container));
    // The engine lists steps and entities in the order of the form.
    return this.form.containers
      .filter((container) => hidden.includes(container))
      .map((container) => {
        const hides = metIn(container.conditions, this.countsFor(container)).filter(
          ({ action }) => action === 'hide',
        );
        const shows = container.conditions.filter(({ action }) => action === 'show');
        return { container, because: inGroupOrder(hides.length > 0 ? hides : shows) };
      });
  }

  /** The values that conditions of `owner` test: those of the record for repeatable fields of its entity (R6). */
  private countsFor(owner: Owner, record?: EngineRecord): Counts {
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
        // A condition that is never met (N6) does not ask for the other answer.
        .flatMap(({ dependsOnFieldId, valueFieldId, testsRetired }) => [
          dependsOnFieldId,
          testsRetired ? 0 : (valueFieldId ?? 0),
        ])
        .flatMap((id) => this.fieldWith(id) ?? [])
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

  private fieldWith(id: number): EngineField | undefined {
    return this.form.fields.find((field) => field.id === id);
  }
}

const areGrouped = (one: EngineCondition, other: EngineCondition) =>
  one === other || (one.group != null && one.group === other.group && one.action === other.action);

/** The conditions that are met. Those of a group are met together or not at all (C9). */
function metIn(conditions: readonly EngineCondition[], counts: Counts): EngineCondition[] {
  return conditions.filter((condition) =>
    conditions.filter((other) => areGrouped(other, condition)).every((other) => isMet(other, counts)),
  );
}

function isMet(condition: EngineCondition, counts: Counts): boolean {
  const { operator, value, valueFieldId, testsRetired, dependsOnFieldId } = condition;
  if (testsRetired === true) return false;
  const stored = counts(dependsOnFieldId);
  if (valueFieldId == null) return isMetBy(operator, value, stored, CIRCUMSTANCES);
  return isComparisonMet(operator, stored, counts(valueFieldId), OPTIONS);
}

/** Conditions of a group stand together, at the place of the first of them. */
function inGroupOrder(conditions: readonly EngineCondition[]): EngineCondition[] {
  return conditions.flatMap((condition) => {
    const group = conditions.filter((other) => areGrouped(other, condition));
    return group[0] === condition ? group : [];
  });
}
