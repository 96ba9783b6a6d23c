import { resolve } from './condition-set.js';
import { withRecordValues } from './entity-fields.js';
import { type FieldValues, Value } from './field-values.js';
import type { CompiledFormula } from './compile-formula.js';
import { contentOf } from './formula-ops.js';
import type { Hider } from './hidden-values.js';
import type { Searches } from './searches.js';
import { valuesByField, valuesByRecord } from './values-by-field.js';
import type { EngineField, EngineRecord, OnComputed, StoredValue } from './vocabulary.js';

interface Operand {
  readonly fieldId: number;
  readonly source: number;
  /** If the field is computed for a record, the operand has the value of that record. */
  readonly isOfRecord: boolean;
}

/** A computed field. `source` and those of its operands are indexes in `ValuesByField`. */
export interface FormulaNode {
  readonly field: EngineField;
  readonly source: number;
  readonly operands: readonly Operand[];
  /** Computes from the values of the operands, in their order. */
  readonly compute: CompiledFormula;
}

/** The parts of a cycle have no order. They are evaluated with stored values, hidden or not. */
interface Circular {
  readonly isCircular: boolean;
}

/** A formula, or conditions that can hide values. */
export type Node = (FormulaNode | Hider) & Circular;

export interface Plan {
  readonly sources: ReadonlyMap<number, number>;
  readonly ignoresHidden: boolean;
  readonly fieldsBySource: ReadonlyMap<number, EngineField>;
  readonly computedSources: ReadonlySet<number>;
  /** The sources of the fields that have a value for each record, by the name of their entity. */
  readonly repeatableSources: ReadonlyMap<string, readonly number[]>;
  /** Each after those that it depends on. */
  readonly nodes: readonly Node[];
}

/** Whether the field has a value for each record of its entity. */
export const isInRecords = ({ entity, isRepeatable }: EngineField): boolean =>
  entity !== undefined && isRepeatable === true;

/** The values that conditions of the form, or of one record, test. */
interface Level {
  readonly stored: FieldValues[];
  /** Without those of hidden fields. */
  readonly visible: FieldValues[];
  /** The computed fields that are hidden, perhaps before they are computed. */
  readonly hidden: Set<number>;
}

type RecordLevel = Level & EngineRecord;

/**
 * Computes the values of a submission, and returns them after the values that are not computed. Yields after each part of the work, so
 * that the caller can pause.
 */
export function* compute(
  plan: Plan,
  values: readonly StoredValue[],
  records: readonly EngineRecord[],
  searches?: Searches,
  onComputed?: OnComputed,
): Generator<undefined, StoredValue[]> {
  const { sources, computedSources, repeatableSources } = plan;
  const isComputed = (fieldId: number) => computedSources.has(sources.get(fieldId) ?? -1);
  const given = values.filter(([fieldId]) => !isComputed(fieldId));
  // Texts are joined in the order of the records.
  const sorted = given.toSorted(([, one], [, other]) => (one ?? 0) - (other ?? 0));
  yield;
  const stored = valuesByField(sorted, sources, searches);
  yield;
  const byRecord = valuesByRecord(sorted, sources, searches);
  yield;
  const levels: RecordLevel[] = [];
  for (const { id, entity } of records) {
    const own = { repeatableSources: repeatableSources.get(entity) ?? [] };
    const ofRecord = withRecordValues(stored, byRecord.get(id) ?? [], own);
    levels.push({ id, entity, ...levelOf(plan, ofRecord) });
    yield;
  }
  const computing = new Computing(plan, given, levelOf(plan, stored), levels, searches, onComputed);
  if (plan.ignoresHidden) {
    for (const value of sorted) computing.remember(sources.get(value[0]), value);
    yield;
  }
  for (const node of plan.nodes) yield* 'compute' in node ? computing.compute(node) : computing.hide(node);
  return computing.results;
}

const levelOf = ({ ignoresHidden }: Plan, stored: FieldValues[]): Level => ({
  ...{ stored, visible: ignoresHidden ? stored.slice() : stored, hidden: new Set() },
});

class Computing {
  /** The values for formulas outside of records. They lack values that are hidden in their record, which conditions outside still test. */
  private readonly counted: FieldValues[];
  private readonly valuesOf = new Map<number, StoredValue[]>();

  /** @param results the values that are not computed, which the computed ones are added to */
  constructor(
    private readonly plan: Plan,
    readonly results: StoredValue[],
    private readonly form: Level,
    private readonly records: readonly RecordLevel[],
    private readonly searches: Searches | undefined,
    private readonly onComputed: OnComputed | undefined,
  ) {
    this.counted = plan.ignoresHidden ? form.stored.slice() : form.stored;
  }

  /** Computes a field, for each record or once. */
  *compute(node: FormulaNode & Circular): Generator<undefined, void> {
    const { field, source } = node;
    let values: FieldValues;
    if (isInRecords(field)) {
      for (const record of this.records) {
        if (record.entity !== field.entity) continue;
        const text = this.textOf(node, record);
        if (text !== undefined) values = new Value(text, values, this.searches);
        setValues(record, source, text === undefined ? undefined : new Value(text, undefined, this.searches));
        yield;
      }
    } else {
      // Reads one operand after the other, because each may have many long values.
      for (const operand of node.operands) {
        contentOf(this.outside(node)[operand.source]);
        yield;
      }
      const text = this.textOf(node);
      if (text !== undefined) values = new Value(text, undefined, this.searches);
      yield;
    }
    setValues(this.form, source, values);
    for (const record of this.records)
      if (!isInRecords(field) || record.entity !== field.entity) setValues(record, source, values);
    this.count(source);
  }

  /** Returns the result of a formula, and keeps it. */
  private textOf(
    { field, source, operands, compute, isCircular }: FormulaNode & Circular,
    record?: RecordLevel,
  ) {
    const inRecord = record && (isCircular ? record.stored : record.visible);
    const outside = this.outside({ isCircular });
    const answers = operands.map(
      ({ source, isOfRecord }) => (isOfRecord && inRecord !== undefined ? inRecord : outside)[source],
    );
    const text = compute(answers);
    if (text === undefined) return undefined;
    const result: StoredValue = [field.id, record?.id ?? null, text];
    this.results.push(result);
    this.remember(source, result);
    this.onComputed?.(
      result,
      operands.map(({ fieldId }, index) => [fieldId, contentOf(answers[index]).texts]),
    );
    return text;
  }

  /** Returns the values for a formula outside of records. */
  private outside({ isCircular }: Circular): readonly FieldValues[] {
    return isCircular ? this.form.stored : this.counted;
  }

  /** Removes the values of fields that are hidden, in the form or in a record. */
  *hide({ rule, entity, sources, isCircular }: Hider & Circular): Generator<undefined, void> {
    const isHiddenIn = ({ stored, visible }: Level) => !resolve(rule, isCircular ? stored : visible).visible;
    const isHidden = isHiddenIn(this.form);
    if (isHidden) this.hideIn(this.form, sources);
    yield;
    const concerned = isHidden || entity !== undefined ? this.records : [];
    for (const record of concerned) {
      // A step or an entity has no state of its own in a record (R6), and neither have fields of other entities.
      const isDecidedHere = entity !== undefined && entity === record.entity;
      if (isDecidedHere ? isHiddenIn(record) : isHidden) this.hideIn(record, sources);
      yield;
    }
    for (const source of sources) this.count(source);
  }

  private hideIn({ visible, hidden }: Level, sources: readonly number[]): void {
    for (const source of sources) {
      visible[source] = undefined;
      if (this.plan.computedSources.has(source)) hidden.add(source);
    }
  }

  /** Finds the values of a field that count for formulas outside of records, as they are marked in exports (X1). */
  private count(source: number): void {
    const { ignoresHidden, fieldsBySource } = this.plan;
    if (!ignoresHidden) return;
    const field = fieldsBySource.get(source);
    const ofEntity = this.records.filter(({ entity }) => entity === field?.entity);
    const isVisible = ({ visible }: Level) => visible[source] !== undefined;
    if (field === undefined || ofEntity.length === 0) this.counted[source] = this.form.visible[source];
    else if (!isInRecords(field))
      this.counted[source] = ofEntity.some(isVisible) ? this.form.stored[source] : undefined;
    else {
      const visibleIn = new Set(ofEntity.filter(isVisible).map(({ id }) => id));
      const known = new Set(ofEntity.map(({ id }) => id));
      const counts = ([, recordId]: StoredValue) =>
        recordId !== null && known.has(recordId) ? visibleIn.has(recordId) : isVisible(this.form);
      this.counted[source] = (this.valuesOf.get(source) ?? [])
        .filter((value) => value[2] !== '' && counts(value))
        .reduce<FieldValues>((next, [, , text]) => new Value(text, next, this.searches), undefined);
    }
  }

  /** Only for {@link count}. */
  remember(source: number | undefined, value: StoredValue): void {
    if (source === undefined || !this.plan.ignoresHidden) return;
    const values = this.valuesOf.get(source);
    if (values === undefined) this.valuesOf.set(source, [value]);
    else values.push(value);
  }
}

function setValues({ stored, visible, hidden }: Level, source: number, values: FieldValues): void {
  stored[source] = values;
  visible[source] = hidden.has(source) ? undefined : values;
}
