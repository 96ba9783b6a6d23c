import { resolve } from './condition-set.js';
import { NO_FIELDS, withRecordValues } from './entity-fields.js';
import { type FieldValues, Value } from './field-values.js';
import type { CompiledFormula } from './formula.js';
import type { Hider } from './hidden-values.js';
import type { Searches } from './searches.js';
import { valuesByField, valuesByRecord } from './values-by-field.js';
import type { EngineField, EngineRecord, StoredValue } from './vocabulary.js';

/** A computed field. `source` and those of its operands are indexes in `ValuesByField`. */
export interface FormulaNode {
  readonly field: EngineField;
  readonly source: number;
  /** `isOfRecord`: if the field is computed for a record, the operand has the value of that record. */
  readonly operands: readonly { readonly source: number; readonly isOfRecord: boolean }[];
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
): Generator<undefined, StoredValue[]> {
  const computing = new Computing(plan, values, records, searches);
  yield;
  for (const node of plan.nodes) yield* 'compute' in node ? computing.compute(node) : computing.hide(node);
  return computing.results;
}

class Computing {
  /** The values that are not computed, in their order, then the computed ones. */
  readonly results: StoredValue[];
  private readonly form: Level;
  private readonly records: readonly RecordLevel[];
  /** What formulas outside of records compute with. Unlike for conditions, a value that is hidden in its record does not count. */
  private readonly counted: FieldValues[];
  private readonly valuesOf = new Map<number, StoredValue[]>();

  constructor(
    private readonly plan: Plan,
    values: readonly StoredValue[],
    records: readonly EngineRecord[],
    private readonly searches: Searches | undefined,
  ) {
    const { sources, ignoresHidden, computedSources, repeatableSources } = plan;
    const isComputed = (fieldId: number) => computedSources.has(sources.get(fieldId) ?? -1);
    this.results = values.filter(([fieldId]) => !isComputed(fieldId));
    // Texts are joined in the order of the records.
    const given = this.results.toSorted(([, one], [, other]) => (one ?? 0) - (other ?? 0));
    const levelOf = (stored: FieldValues[]): Level => ({
      ...{ stored, visible: ignoresHidden ? stored.slice() : stored, hidden: new Set() },
    });
    this.form = levelOf(valuesByField(given, sources, searches));
    this.counted = ignoresHidden ? this.form.stored.slice() : this.form.stored;
    const byRecord = valuesByRecord(given, sources, searches);
    this.records = records.map(({ id, entity }) => {
      const own = { ...NO_FIELDS, repeatableSources: repeatableSources.get(entity) ?? [] };
      return { id, entity, ...levelOf(withRecordValues(this.form.stored, byRecord.get(id) ?? [], own)) };
    });
    if (ignoresHidden) for (const value of given) this.remember(sources.get(value[0]), value);
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
    const outside = isCircular ? this.form.stored : this.counted;
    const text = compute(
      operands.map(
        ({ source, isOfRecord }) => (isOfRecord && inRecord !== undefined ? inRecord : outside)[source],
      ),
    );
    if (text === undefined) return undefined;
    const result: StoredValue = [field.id, record?.id ?? null, text];
    this.results.push(result);
    this.remember(source, result);
    return text;
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
  private remember(source: number | undefined, value: StoredValue): void {
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
