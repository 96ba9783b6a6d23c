import { type Answer, Value } from './answer.js';
import {
  type CompiledCondition,
  explain,
  type FieldRule,
  OPTIONAL,
  REQUIRED,
  resolve,
} from './field-rule.js';
import { ignoreHidden, keepHidden } from './hidden-values.js';
import { compileTest } from './operators.js';
import type {
  CompiledRules,
  ExplainedState,
  HiddenValues,
  RuleCondition,
  RuleField,
  StoredValue,
} from './vocabulary.js';

/** Compiles the fields of a form, in schema order, once. The result keeps nothing from one evaluation to the next. */
export function compileRules(
  fields: readonly RuleField[],
  hiddenValues: HiddenValues = 'keep',
): CompiledRules {
  const defaults = fields.map(({ isRequired }) => (isRequired ? REQUIRED : OPTIONAL));
  const sources = new Map<number, number>();
  const rules: FieldRule[] = [];
  for (const [position, field] of fields.entries()) {
    if (field.conditions.length === 0) continue;
    const conditions = field.conditions.map((condition) => compile(condition, sources));
    rules.push({
      fieldId: field.id,
      position,
      byDefault: defaults[position] ?? OPTIONAL,
      hasShow: field.conditions.some(({ action }) => action === 'show'),
      conditions,
    });
  }

  const countingAnswers = hiddenValues === 'ignore' ? ignoreHidden(rules, sources) : keepHidden;
  const answersTo = (values: readonly StoredValue[]) => countingAnswers(answersAmong(values, sources));

  return {
    resolveStates(values) {
      const answersFor = answersTo(values);
      const states = defaults.slice();
      for (const rule of rules) states[rule.position] = resolve(rule, answersFor(rule));
      return states;
    },
    explainStates(values) {
      const answersFor = answersTo(values);
      const states = defaults.map((state): ExplainedState => ({ ...state, met: [] }));
      for (const rule of rules) states[rule.position] = explain(rule, answersFor(rule));
      return states;
    },
  };
}

function compile(condition: RuleCondition, sources: Map<number, number>): CompiledCondition {
  const { dependsOnFieldId, operator, value } = condition;
  const source = sources.get(dependsOnFieldId) ?? sources.size;
  sources.set(dependsOnFieldId, source);
  return { condition, source, test: compileTest(operator, value) };
}

/** What is stored for each field that a condition depends on, in its place. "" is no value (C2). */
function answersAmong(values: readonly StoredValue[], sources: ReadonlyMap<number, number>): Answer[] {
  const answers = new Array<Answer>(sources.size).fill(undefined);
  for (const [fieldId, , text] of values) {
    const source = sources.get(fieldId);
    if (source !== undefined && text !== '') answers[source] = new Value(text, answers[source]);
  }
  return answers;
}
