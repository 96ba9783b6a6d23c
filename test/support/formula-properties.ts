import fc from 'fast-check';
import {
  compileRules,
  type EngineContainer,
  type EngineField,
  type EngineRecord,
  type Formula,
  FORMULA_OPS,
  type FormulaOperand,
  HIDDEN_VALUES,
  type HiddenValues,
  operandsOf,
  runToCompletion,
  type StoredValue,
} from '../../src/conditions/engine/index.js';
import { literalResult } from './literal-formulas.js';
import { LiteralRules } from './rule-properties.js';

const TODAY = '2026-11-28';
const today = () => ({ earliest: TODAY, latest: TODAY, single: TODAY });
const RECORDS: readonly EngineRecord[] = [
  { id: 1, entity: 'e' },
  { id: 2, entity: 'e' },
  { id: 3, entity: 'f' },
];
const MAX_FIELDS = 7;
/** A step that the first field hides, which is not on it. */
const STEP: EngineContainer = {
  conditions: [{ dependsOnFieldId: 1, operator: 'at_least', value: '2', action: 'hide' }],
};

const texts = fc.oneof(
  fc.constantFrom('', ' ', '2', '-0.5', '1e3', '0', 'x', '2026-02-28', '2024-02-29', '3.14', ' 7 '),
  fc.integer({ min: -20, max: 20 }).map(String),
  fc.constantFrom('2026-01-31', '2026-03-01', '2025-12-31', '2000-02-29', '2026-02-30'),
);
const operands = fc.letrec<{ formula: Formula; operand: FormulaOperand }>((tie) => ({
  // A field names only fields before it, so that there are no cycles. The others are unknown.
  operand: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { arbitrary: fc.integer({ min: 1, max: MAX_FIELDS }).map((id) => `f${id}`), weight: 4 },
    { arbitrary: fc.oneof(texts, fc.constant('today')).map((value) => ({ value })), weight: 1 },
    { arbitrary: tie('formula'), weight: 1 },
  ),
  formula: fc
    .record({
      op: fc.constantFrom(...FORMULA_OPS),
      of: fc.array(tie('operand'), { minLength: 2, maxLength: 3 }),
      scale: fc.constantFrom(undefined, 0, 2),
      with: fc.constantFrom(undefined, ', '),
    })
    .map(({ op, of, scale, with: separator }): Formula => ({
      op,
      of: op === 'round' ? of.slice(0, 1) : /difference|quotient|between/.test(op) ? of.slice(0, 2) : of,
      ...(scale !== undefined && { scale }),
      ...(separator !== undefined && { with: separator }),
    })),
}));
const planned = fc.record({
  isRepeatable: fc.boolean(),
  entity: fc.constantFrom<'e' | 'f' | undefined>(undefined, 'e', 'f'),
  formula: fc.option(operands.formula, { nil: undefined }),
  isOnStep: fc.boolean(),
  condition: fc.option(
    fc.record({
      dependsOnFieldId: fc.integer({ min: 1, max: MAX_FIELDS }),
      operator: fc.constantFrom('equals', 'not_empty', 'empty', 'at_least', 'contains'),
      value: texts,
      action: fc.constantFrom('show', 'hide'),
    }),
    { nil: undefined },
  ),
});
const forms = fc.array(planned, { minLength: 1, maxLength: MAX_FIELDS }).map((plans) =>
  plans.map(({ formula, condition, isRepeatable, entity, isOnStep }, index): EngineField => {
    const id = index + 1;
    const isBefore = (code: string) => Number(code.slice(1)) < id;
    return {
      ...{ id, code: `f${id}`, isRequired: false, isRepeatable, entity },
      containers: id > 1 && isOnStep ? [STEP] : [],
      conditions: condition !== undefined && condition.dependsOnFieldId < id ? [condition] : [],
      ...(formula !== undefined && operandsOf(formula).every(isBefore) && { computed: formula }),
    };
  }),
);
const storedValues = fc.array(
  fc.tuple(fc.integer({ min: 1, max: MAX_FIELDS }), fc.constantFrom(null, 1, 2, 3), texts),
  { maxLength: 14 },
);

const inRecords = ({ entity, isRepeatable }: EngineField) => entity !== undefined && isRepeatable === true;

/** Computes the fields one after the other. Each time, an implementation of the contract's words says what is hidden. */
function literally(
  fields: readonly EngineField[],
  stored: readonly StoredValue[],
  hiddenValues: HiddenValues,
): StoredValue[] {
  const values = stored.filter(([id]) => fields[id - 1]?.computed === undefined);
  for (const field of fields) {
    if (field.computed === undefined) continue;
    const rules = new LiteralRules({ fields, containers: [STEP] }, values, hiddenValues);
    const isHidden = (operand: EngineField, recordId: number | null, within?: EngineRecord): boolean => {
      if (hiddenValues === 'keep') return false;
      const own = RECORDS.filter(({ entity }) => entity === operand.entity);
      if (within !== undefined && within.entity === operand.entity) return !rules.isVisible(operand, within);
      if (own.length === 0) return !rules.isVisible(operand);
      if (!inRecords(operand)) return own.every((record) => !rules.isVisible(operand, record));
      return !rules.isVisible(
        operand,
        own.find(({ id }) => id === recordId),
      );
    };
    const textsOf = (code: string, within?: EngineRecord): string[] => {
      const operand = fields.find((one) => one.code === code);
      if (operand === undefined) return [];
      return values
        .filter(([id, recordId]) => id === operand.id && !isHidden(operand, recordId, within))
        .filter(
          ([, recordId]) =>
            !(within !== undefined && within.entity === operand.entity && inRecords(operand)) ||
            recordId === within.id,
        )
        .toSorted(([, one], [, other]) => (one ?? 0) - (other ?? 0))
        .map(([, , text]) => text);
    };
    const places = inRecords(field) ? RECORDS.filter(({ entity }) => entity === field.entity) : [undefined];
    const results = places.map((record): StoredValue | undefined => {
      const text = literalResult(field.computed!, (code) => textsOf(code, record), TODAY);
      return text === undefined ? undefined : [field.id, record?.id ?? null, text];
    });
    values.push(...results.filter((result) => result !== undefined));
  }
  return values;
}

/** On a failure, fast-check shrinks the case and prints the seed and the path that reproduce it. */
export function formulaProperties(numRuns: number): void {
  it.each(HIDDEN_VALUES)(
    'any formulas and values give what the contract says, with HIDDEN_VALUES=%s',
    (hiddenValues) => {
      const seen = new Set<string>();
      fc.assert(
        fc.property(forms, storedValues, (fields, stored) => {
          const { computed } = compileRules(fields, { today, hiddenValues, containers: [STEP] });
          const expected = literally(fields, stored, hiddenValues);
          if (computed === undefined) {
            expect(expected).toEqual(stored);
            return;
          }
          const byPlace = ([id, record]: StoredValue, [otherId, other]: StoredValue) =>
            id - otherId || (record ?? 0) - (other ?? 0);
          const found = runToCompletion(computed.compute(stored, RECORDS));
          expect(found.toSorted(byPlace)).toEqual(expected.toSorted(byPlace));
          for (const [id] of found) {
            const op = fields[id - 1]?.computed?.op;
            if (op !== undefined) seen.add(op);
          }
        }),
        { numRuns },
      );
      // Each operation gives a result now and then.
      if (numRuns > 1_000) expect(seen).toEqual(new Set(FORMULA_OPS));
    },
  );
}
