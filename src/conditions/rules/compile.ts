import { Answer } from './answer.js';
import { compileTest, type Test } from './operators.js';
import type { Action, CompiledRules, FieldState, RuleCondition, RuleField } from './vocabulary.js';

interface CompiledCondition {
  /** Where the field it depends on stands among the answers of an evaluation. */
  readonly source: number;
  readonly test: Test;
}

interface FieldRule {
  readonly position: number;
  readonly byDefault: FieldState;
  readonly hide: readonly CompiledCondition[];
  readonly show: readonly CompiledCondition[];
  readonly require: readonly CompiledCondition[];
}

// Shared by all fields and all evaluations, so that a state costs no allocation.
const HIDDEN: FieldState = Object.freeze({ visible: false, required: false });
const OPTIONAL: FieldState = Object.freeze({ visible: true, required: false });
const REQUIRED: FieldState = Object.freeze({ visible: true, required: true });

/** Compiles the fields of a form, in schema order, once. The result keeps nothing from one evaluation to the next. */
export function compileRules(fields: readonly RuleField[]): CompiledRules {
  const defaults = fields.map((field) => (field.isRequired ? REQUIRED : OPTIONAL));
  const sources = new Map<number, number>();
  const rules: FieldRule[] = [];

  for (const [position, { conditions }] of fields.entries()) {
    if (conditions.length === 0) continue;
    const withAction = (action: Action) =>
      conditions
        .filter((condition) => condition.action === action)
        .map((condition) => compile(condition, sources));
    rules.push({
      position,
      byDefault: defaults[position] ?? OPTIONAL,
      hide: withAction('hide'),
      show: withAction('show'),
      require: withAction('require'),
    });
  }

  const sourceIds = [...sources.keys()];
  return {
    resolveStates(values) {
      // C5: all answers are taken from what is stored before any field is resolved, those of hidden fields too.
      const answers = sourceIds.map((id) => Answer.of(values.get(id)));
      const states = defaults.slice();
      for (const rule of rules) states[rule.position] = resolve(rule, answers);
      return states;
    },
  };
}

function compile(condition: RuleCondition, sources: Map<number, number>): CompiledCondition {
  const { dependsOnFieldId, operator, value } = condition;
  const source = sources.get(dependsOnFieldId) ?? sources.size;
  sources.set(dependsOnFieldId, source);
  return { source, test: compileTest(operator, value) };
}

/** The specification's evaluation rules 2 to 5. */
function resolve({ hide, show, require, byDefault }: FieldRule, answers: readonly Answer[]): FieldState {
  if (anyMet(hide, answers)) return HIDDEN;
  if (show.length > 0 && !anyMet(show, answers)) return HIDDEN;
  // C6: a `require` that is not met leaves the schema default.
  return anyMet(require, answers) ? REQUIRED : byDefault;
}

function anyMet(conditions: readonly CompiledCondition[], answers: readonly Answer[]): boolean {
  return conditions.some(({ source, test }) => test(answers[source] ?? Answer.NONE));
}
