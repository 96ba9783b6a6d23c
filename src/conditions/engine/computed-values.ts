import type { Compilation } from './compile-conditions.js';
import type { ContainerConditions, FieldConditions } from './condition-set.js';
import { findComponents } from './cycles.js';
import { compute, type FormulaNode, isInRecords, type Node, type Plan } from './compute.js';
import { compileFormula } from './compile-formula.js';
import { operandsOf, usesToday } from './formula.js';
import { decidingSources, type Hider, hidersOf } from './hidden-values.js';
import type { ComputedValues, EngineField, HiddenValues } from './vocabulary.js';

interface Conditions {
  readonly rules: readonly FieldConditions[];
  readonly containers: readonly ContainerConditions[];
}

/**
 * Compiles the formulas of a form (K1). Undefined if it has none. Formulas have an order of their own: each comes after the computed
 * fields that it names. With `ignore`, the values of hidden fields do not count, and conditions may test computed fields, so that
 * formulas and the conditions that can hide fields share one order. Where these form a cycle, stored values count, hidden or not.
 */
export function* compileComputed(
  fields: readonly EngineField[],
  { rules, containers }: Conditions,
  { sources: tested, today }: Compilation,
  hiddenValues: HiddenValues,
): Generator<undefined, ComputedValues | undefined> {
  const computed = fields.filter(({ computed }) => computed !== undefined);
  if (computed.length === 0) return undefined;
  const ignoresHidden = hiddenValues === 'ignore';
  const byCode = new Map(fields.map((field) => [field.code, field]));
  const sources = new Map(ignoresHidden ? tested : []);
  const sourceOf = ({ id }: EngineField): number => {
    const source = sources.get(id) ?? sources.size;
    sources.set(id, source);
    return source;
  };
  const formulas: FormulaNode[] = [];
  for (const field of computed) {
    const formula = field.computed as NonNullable<EngineField['computed']>;
    const named = [...new Set(operandsOf(formula))].flatMap((code) => byCode.get(code) ?? []);
    const positions = new Map(named.map(({ code }, position) => [code, position]));
    formulas.push({
      field,
      source: sourceOf(field),
      operands: named.map((operand) => ({
        fieldId: operand.id,
        source: sourceOf(operand),
        isOfRecord: operand.entity !== undefined && operand.entity === field.entity && isInRecords(field),
      })),
      compute: compileFormula(formula, { today, sourceOf: (code) => positions.get(code) }),
    });
    yield;
  }

  const hiders = ignoresHidden ? hidersIn(fields, rules, containers, sources) : [];
  const plan: Plan = {
    sources,
    ignoresHidden,
    fieldsBySource: new Map(fields.flatMap((field) => sourceEntry(field, sources))),
    computedSources: new Set(formulas.map(({ source }) => source)),
    repeatableSources: repeatableSourcesIn(fields, sources),
    nodes: yield* inOrder(formulas, hiders),
  };
  return {
    fieldIds: new Set(computed.map(({ id }) => id)),
    usesToday: computed.some((field) => field.computed !== undefined && usesToday(field.computed)),
    compute: (...of) => compute(plan, ...of),
  };
}

function sourceEntry(field: EngineField, sources: ReadonlyMap<number, number>): [number, EngineField][] {
  const source = sources.get(field.id);
  return source === undefined ? [] : [[source, field]];
}

function repeatableSourcesIn(fields: readonly EngineField[], sources: ReadonlyMap<number, number>) {
  const byEntity = new Map<string, number[]>();
  for (const field of fields) {
    const source = sources.get(field.id);
    if (field.entity === undefined || source === undefined || !isInRecords(field)) continue;
    const known = byEntity.get(field.entity);
    if (known === undefined) byEntity.set(field.entity, [source]);
    else known.push(source);
  }
  return byEntity;
}

/** The conditions that can hide an operand or a computed field, or a field that another one of them tests. */
function hidersIn(
  fields: readonly EngineField[],
  rules: readonly FieldConditions[],
  containers: readonly ContainerConditions[],
  sources: ReadonlyMap<number, number>,
): Hider[] {
  return [
    ...rules.map((rule) => {
      const source = sources.get(rule.fieldId);
      return { rule, entity: rule.entity, sources: source === undefined ? [] : [source] };
    }),
    ...containers.map((rule) => ({
      ...{ rule, entity: undefined },
      sources: rule.positions.flatMap((position) => sources.get(fields[position]?.id ?? 0) ?? []),
    })),
  ].filter((hider) => hider.sources.length > 0);
}

/** Formulas and hiders, each after those that it depends on. In a cycle, formulas come first, in their own order. */
function* inOrder(
  formulas: readonly FormulaNode[],
  hiders: readonly Hider[],
): Generator<undefined, Plan['nodes']> {
  const formulaAt = new Map(formulas.map(({ source }, index) => [source, index]));
  const computedBy = (source: number) => formulaAt.get(source) ?? [];
  const ownOrder = yield* findComponents(
    formulas.map(({ operands }) => operands.flatMap(({ source }) => computedBy(source))),
  );
  const rank = new Map(ownOrder.flat().map((index, position) => [index, position]));
  const hidersAt = hidersOf(hiders);
  const hiddenBy = (source: number) => (hidersAt.get(source) ?? []).map((index) => formulas.length + index);
  const dependencies = [
    ...formulas.map(({ operands }) =>
      operands.flatMap(({ source }) => [computedBy(source), hiddenBy(source)].flat()),
    ),
    ...hiders.map((hider) =>
      decidingSources(hider).flatMap((source) => [computedBy(source), hiddenBy(source)].flat()),
    ),
  ];
  yield;
  const nodes: Node[] = [];
  for (const component of yield* findComponents(dependencies)) {
    const isCircular = component.length > 1 || dependencies[component[0] ?? 0]?.includes(component[0] ?? 0);
    const sorted = component.toSorted((one, other) => (rank.get(one) ?? one) - (rank.get(other) ?? other));
    for (const index of sorted) {
      const node = formulas[index] ?? hiders[index - formulas.length];
      if (node !== undefined) nodes.push({ ...node, isCircular: isCircular === true });
    }
  }
  return nodes;
}
