import { isDeepStrictEqual } from 'node:util';
import type { Formula } from '../../conditions/engine/index.js';
import { definitionOf } from '../../forms/field-types.js';
import { MAX_FILE_BYTES } from '../../forms/limits.js';
import { compareConditions, reportConditions } from './compare-conditions.js';
import { comparePersonal } from './compare-keeping.js';
import { comparePlaces } from './compare-limits.js';
import { acceptsAll, compareRules } from './compare-rules.js';
import { quote } from './definition-error.js';
import {
  type Pair,
  pairs,
  type ReportChange,
  reportOrder,
  reportOtherKeys,
  reportRepeatable,
} from './form-changes.js';
import type { DefinedField } from './form-definition.js';
import type { Comparison } from './form-state.js';

/** Keys that {@link compareBoth} judges itself. */
const JUDGED = [
  ...['code', 'field_type', 'entity', 'is_repeatable', 'is_required', 'retired'],
  ...['computed', 'max_bytes', 'accept', 'is_personal', 'options', 'rules', 'conditions', 'order'],
];

/** Reports the changes of a field. A retired field is no part of the form (N6), so its changes break nothing. */
export function compareField({ old: before, now: after, row }: Pair<DefinedField>, comparison: Comparison) {
  const { now, report } = comparison;
  const { code } = row;
  const path = `fields.${code}`;
  const required =
    after !== undefined && now.canBeRequired(after) ? '. It is required, or a condition can require it' : '';
  if (after === undefined) {
    if (before?.retired) report(false, path, `The retired field ${quote(code)} was removed.`);
    else report(true, path, `The field ${quote(code)} was removed.`);
  } else if (before === undefined) {
    if (after.retired) report(false, path, `The field ${quote(code)} was added as a retired field.`);
    else report(required !== '', path, `The field ${quote(code)} was added${required}.`);
  } else if (before.retired || after.retired) {
    if (!before.retired) report(true, `${path}.retired`, `The field ${quote(code)} was retired.`);
    else if (!after.retired)
      report(required !== '', `${path}.retired`, `The field ${quote(code)} is no longer retired${required}.`);
    compareBoth(before, after, {
      ...comparison,
      report: (_, path, message) => report(false, path, message),
    });
  } else compareBoth(before, after, comparison);
}

function compareBoth(before: DefinedField, after: DefinedField, comparison: Comparison): void {
  const { now, report } = comparison;
  const name = quote(after.code);
  const field = `the field ${name}`;
  const path = `fields.${after.code}`;
  if (before.code !== after.code)
    report(true, `${path}.code`, `The code of the field ${quote(before.code)} changed to ${name}.`);
  reportKey('field_type', 'type', before.field_type.name, after.field_type.name);
  reportKey('field_type.component', 'component', before.field_type.component, after.field_type.component);
  reportKey('entity', 'entity', before.entity, after.entity);
  reportRepeatable(`The field ${name}`, path, before, after, report);
  if (before.is_required !== after.is_required) {
    const isBreaking = after.is_required && now.canBeRequired(after);
    const requirement = after.is_required ? 'required' : 'optional';
    report(isBreaking, `${path}.is_required`, `The field ${name} is now ${requirement}.`);
  }
  const [most, oldMost] = [after.max_bytes ?? MAX_FILE_BYTES, before.max_bytes ?? MAX_FILE_BYTES];
  reportKey('max_bytes', 'maximum file size', before.max_bytes, after.max_bytes, most < oldMost);
  const isNarrowed = !acceptsAll(before.accept, after.accept);
  reportKey('accept', 'list of accepted file types', before.accept, after.accept, isNarrowed);
  comparePersonal(before, after, report);
  compareOptions(before, after, report);
  compareRules(before, after, comparison);
  const requirement = now.canBeRequired(after) ? 'it is required, or a condition can require it' : undefined;
  compareFormulas(before, after, requirement, comparison);
  const ignoresRequire = before.is_required || after.is_required || requirement === undefined;
  reportConditions({ name: field, path, requirement, ignoresRequire }, before, after, comparison);
  compareStepsOf(before, after, requirement, comparison);
  reportOtherKeys(field, path, before, after, JUDGED, report);

  function reportKey(key: string, noun: string, from: unknown, to: unknown, isBreaking = true) {
    if (from === to) return;
    report(
      isBreaking,
      `${path}.${key}`,
      `The ${noun} of ${field} changed from ${quote(from)} to ${quote(to)}.`,
    );
  }
}

/** Clients cannot store the value of a computed field any more. People must fill in a field that is no longer computed. */
function compareFormulas(
  { computed: before }: DefinedField,
  { code, computed: after }: DefinedField,
  requirement: string | undefined,
  { old, report }: Comparison,
): void {
  const path = `fields.${code}.computed`;
  const field = `The field ${quote(code)}`;
  const from = before && renamedIn(before, old.newCode);
  if (isDeepStrictEqual(from, after)) return;
  if (from === undefined) report(true, path, `${field} is now computed, so clients cannot store its value.`);
  else if (after !== undefined) report(true, path, `The formula of the field ${quote(code)} changed.`);
  else {
    const why = requirement === undefined ? '' : `, and ${requirement}`;
    report(requirement !== undefined, path, `${field} is no longer computed${why}.`);
  }
}

function renamedIn(formula: Formula, newCode: (code: string) => string): Formula {
  const of = formula.of.map((operand) => {
    if (typeof operand === 'string') return newCode(operand);
    return 'op' in operand ? renamedIn(operand, newCode) : operand;
  });
  return { ...formula, of };
}

function compareOptions(before: DefinedField, after: DefinedField, report: ReportChange): void {
  const { holds } = definitionOf(after.field_type.component);
  const isChoice = holds === 'option' || holds === 'options';
  const isFirst = isChoice && before.options.length === 0;
  const options = pairs(before.options, after.options, ({ value }) => value);
  for (const { old, now, row } of options) {
    const { value } = row;
    const path = `fields.${after.code}.options.${value}`;
    const [option, of] = [`option ${quote(value)}`, `of the field ${quote(after.code)}`];
    if (now === undefined) report(true, path, `The ${option} ${of} was removed.`);
    else if (old !== undefined) {
      comparePlaces(after, `the ${option} ${of}`, path, old, now, report);
      if (old.is_exclusive !== now.is_exclusive) {
        const isBreaking = holds === 'options' && now.is_exclusive === true;
        const whether =
          now.is_exclusive === true ? 'now excludes the others' : 'no longer excludes the others';
        report(isBreaking, `${path}.is_exclusive`, `The ${option} ${of} ${whether}.`);
      }
      reportOtherKeys(`the ${option} ${of}`, path, old, now, ['order', 'places', 'is_exclusive'], report);
    } else {
      const why = isFirst ? ', which accepted any value before' : '';
      report(isFirst, path, `The ${option} was added to the options ${of}${why}.`);
    }
  }
  const path = `fields.${after.code}.options`;
  reportOrder(`options of the field ${quote(after.code)}`, path, options, ({ value }) => value, report);
}

/** Reports a move to another step. The conditions of the other step can hide the field when those of the first did not. */
function compareStepsOf(
  before: DefinedField,
  after: DefinedField,
  requirement: string | undefined,
  { old, now, newSteps, report }: Comparison,
): void {
  const [from, to] = [old.stepOf.get(before), now.stepOf.get(after)];
  if (from === undefined || to === undefined || newSteps.get(from) === to) return;
  const { canNewlyHide, canNewlyShow } = compareConditions(
    old.judged(from.conditions),
    now.judged(to.conditions),
  );
  const isHidden = canNewlyHide || canNewlyShow || from.is_visible !== to.is_visible;
  const isBreaking = requirement !== undefined && isHidden;
  const why = isBreaking ? `, which is hidden in other cases, although ${requirement}` : '';
  const { step_number } = newSteps.get(from) ?? from;
  const steps = `from step ${step_number} to step ${to.step_number}`;
  report(
    isBreaking,
    `fields.${after.code}.step_number`,
    `The field ${quote(after.code)} moved ${steps}${why}.`,
  );
}
