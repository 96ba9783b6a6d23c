import { isDeepStrictEqual } from 'node:util';
import { type Action, OPERATOR_TABLE } from '../../conditions/engine/index.js';
import type { DefinedCondition } from './form-definition.js';
import type { Comparison, JudgedConditions } from './form-state.js';
import { listed, quote } from './definition-error.js';

type Conditions = readonly DefinedCondition[];

/** Conditions that count as one condition, which is met if all of them are met (C9). */
type Unit = ReadonlySet<string>;

/**
 * Compares conditions without a search for values: a unit is met whenever a larger unit is met that contains it. Equal values
 * therefore never give another visibility if this function finds no change. A property is true if this is not certain. It assumes
 * `HIDDEN_VALUES=keep`.
 */
export function compareConditions(before: JudgedConditions, after: JudgedConditions) {
  const [old, now] = [unitsBy(before), unitsBy(after)];
  const canHide = (from: typeof old, to: typeof old) =>
    !areImplied(to.hide, from.hide) || (to.hasShow && (!from.hasShow || !areImplied(from.show, to.show)));
  return {
    canNewlyHide: canHide(old, now),
    canNewlyShow: canHide(now, old),
    canNewlyRequire: !areImplied(now.require, old.require),
  };
}

/** Whether one of `others` is met whenever one of `units` is met. */
function areImplied(units: readonly Unit[], others: readonly Unit[]): boolean {
  return units.every((unit) => others.some((other) => [...other].every((condition) => unit.has(condition))));
}

/** Leaves out units that are never met. A field with `show` conditions is then hidden, unless another unit shows it. */
function unitsBy({
  conditions,
  neverMet,
}: JudgedConditions): Record<Action, Unit[]> & { readonly hasShow: boolean } {
  const units = { show: [] as Unit[], hide: [] as Unit[], require: [] as Unit[] };
  const groups = new Map<string, Set<string>>();
  for (const condition of conditions) {
    if (neverMet.has(condition)) continue;
    const { action, group, depends_on_field_code, operator, value, value_field } = condition;
    const key = `${action} ${group}`;
    const known = group === undefined ? undefined : groups.get(key);
    const unit = known ?? new Set<string>();
    unit.add(
      JSON.stringify([
        depends_on_field_code,
        operator,
        OPERATOR_TABLE[operator].compares === 'nothing' ? '' : value,
        value_field ?? null,
      ]),
    );
    if (known !== undefined) continue;
    units[action].push(unit);
    if (group !== undefined) groups.set(key, unit);
  }
  return { ...units, hasShow: conditions.some(({ action }) => action === 'show') };
}

interface ConditionOwner {
  /** For example `the field "email"`. */
  readonly name: string;
  /** For example `fields.email`. */
  readonly path: string;
  /** The requirement of completion while the owner is visible, such as "it is required, or a condition can require it". Undefined: none. */
  readonly requirement: string | undefined;
  readonly ignoresRequire?: boolean;
}

/**
 * Reports changed conditions. They are breaking if the owner can be hidden in more cases, because an answer is then missing
 * that was required, or shown in more cases, because the answer is then required. They are compatible if nothing is required.
 */
export function reportConditions(
  { name, path: ownerPath, requirement, ignoresRequire = false }: ConditionOwner,
  { conditions: before }: { readonly conditions: Conditions },
  { conditions: after }: { readonly conditions: Conditions },
  { old, now, report }: Comparison,
): void {
  const [from, to] = [old.judged(before), now.judged(after)];
  const isSame = isDeepStrictEqual(from.conditions, to.conditions);
  if (isSame && isDeepStrictEqual(from.retired, to.retired)) return;
  const why = isSame ? `, because ${whatBecameOf(from.retired, to.retired)}` : '';
  const change = compareConditions(from, to);
  const path = `${ownerPath}.conditions`;
  const isRequired = requirement !== undefined;
  const hides = isRequired && change.canNewlyHide;
  const shows = isRequired && change.canNewlyShow;
  const requires = !ignoresRequire && change.canNewlyRequire;
  const inMoreCases = (verb: string) => `The conditions of ${name} can now ${verb} in more cases${why}`;
  if (hides) report(true, path, `${inMoreCases('hide it')}, although ${requirement}.`);
  if (shows && !hides) report(true, path, `${inMoreCases('show it')}, and ${requirement}.`);
  if (requires) report(true, path, `${inMoreCases('require its answer')}.`);
  if (hides || shows || requires) return;
  const never =
    why === '' && to.retired.length > 0
      ? `; those that test retired fields (${named(to.retired)}) are never met`
      : '';
  report(false, path, `The conditions of ${name} changed${why}${never}.`);
}

/** Says which of the tested fields were retired, or are no longer retired. */
function whatBecameOf(from: readonly string[], to: readonly string[]): string {
  const retired = to.filter((code) => !from.includes(code));
  const back = from.filter((code) => !to.includes(code));
  return [
    ...(retired.length > 0 ? [`conditions on a retired field (${named(retired)}) are never met`] : []),
    ...(back.length > 0 ? [`a field that they test (${named(back)}) is no longer retired`] : []),
  ].join(', and ');
}

const named = (codes: readonly string[]) => listed(codes.map(quote));
