import { isCircle, stronglyConnected } from './cycles.js';
import type { Answer } from './stored-value.js';
import { type Answers, type FieldRule, resolve } from './field-rule.js';

/** The answers that a rule is to be evaluated on. */
export type AnswersFor = (rule: FieldRule) => Answers;

/**
 * Takes out of `counting`, which begins as a copy of what is stored, what does not count because its field is hidden; of the
 * fields of one entity only where it is named.
 */
export type LeaveOutHidden = (stored: Answers, counting: Answer[], entity?: string) => AnswersFor;

/** C5, `keep`: the value of a hidden field counts like any other. */
export const keepHidden: LeaveOutHidden = (stored) => () => stored;

/**
 * C5, `ignore`: a hidden field has no value for the conditions of others, to any depth. Fields that decide on each
 * other's visibility in a circle have no order in which they could be asked: they are evaluated on what is stored. A
 * `require` condition hides nothing and closes no circle.
 *
 * `sources` tells by the id of a field where its answer stands.
 */
export function ignoreHidden(
  rules: readonly FieldRule[],
  sources: ReadonlyMap<number, number>,
): LeaveOutHidden {
  const deciders = new Map<number, number>();
  for (const [index, { fieldId }] of rules.entries()) {
    const source = sources.get(fieldId);
    if (source !== undefined) deciders.set(source, index);
  }
  const dependencies = rules.map(({ groups }) =>
    groups
      .filter(({ action }) => action !== 'require')
      .flatMap(({ conditions }) => conditions.flatMap(({ source }) => deciders.get(source) ?? [])),
  );

  const circular = new Set<FieldRule>();
  const hideable: { rule: FieldRule; source: number }[] = [];
  for (const component of stronglyConnected(dependencies)) {
    const isCircular = isCircle(component, dependencies);
    for (const rule of component.flatMap((index) => rules[index] ?? [])) {
      if (isCircular) circular.add(rule);
      const source = sources.get(rule.fieldId);
      if (source !== undefined) hideable.push({ rule, source });
    }
  }

  return (stored, counting, entity) => {
    const answersFor = (rule: FieldRule) => (circular.has(rule) ? stored : counting);
    // A field is asked after those it depends on, so that what they leave is final.
    for (const { rule, source } of hideable) {
      if (entity !== undefined && rule.entity !== entity) continue;
      if (!resolve(rule, answersFor(rule)).visible) counting[source] = undefined;
    }
    return answersFor;
  };
}
