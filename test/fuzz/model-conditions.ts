import type { PublishedCondition } from './model-types.js';

/* The contract's rules for conditions, implemented as simply as possible. */

/** The values that conditions see, by the id or the code of a field. Undefined for a field that is retired, which the schema lacks. */
export type ValuesOf = (field: number | string) => string[] | undefined;

export function fieldState(
  field: { readonly is_required: boolean; readonly conditions: readonly PublishedCondition[] },
  valuesOf: ValuesOf,
) {
  // The conditions of a group are met together or not at all (C9).
  const isOfSameGroup = (one: PublishedCondition, other: PublishedCondition) =>
    one === other || (one.group !== null && one.group === other.group && one.action === other.action);
  const met = field.conditions.filter((condition) =>
    field.conditions
      .filter((other) => isOfSameGroup(condition, other))
      .every((other) => isMet(other, valuesOf)),
  );
  const some = (action: string) => met.some((condition) => condition.action === action);
  const mustBeShown = field.conditions.some(({ action }) => action === 'show');
  const visible = !some('hide') && (!mustBeShown || some('show'));
  const required = visible && (field.is_required || some('require'));
  return { visible, required, met: met.filter(({ action }) => visible || action !== 'require') };
}

function isMet(condition: PublishedCondition, valuesOf: ValuesOf): boolean {
  const { depends_on_field_id, operator, value, value_field_code } = condition;
  if (value_field_code === null) return isMetBy(operator, value, valuesOf(depends_on_field_id));
  return isComparisonMet(operator, valuesOf(depends_on_field_id), valuesOf(value_field_code));
}

/** What decides beside the two texts: the dates that today may be, and the options of the tested field. */
export interface Circumstances {
  readonly todays?: readonly string[];
  readonly options?: readonly string[];
}

const POSITIVE: Readonly<Record<string, string>> = {
  not_equals: 'equals',
  not_in: 'in',
  not_contains: 'contains',
  not_includes: 'includes',
};

export function isMetBy(
  operator: string,
  value: string,
  stored: readonly string[] | undefined,
  circumstances: Circumstances = {},
): boolean {
  // A condition on a retired field is never met (N6).
  if (stored === undefined) return false;
  // An empty text counts as no value (C2). One of several values is enough, but a negation must hold for all of them (C7).
  const values = stored.filter((text) => text !== '');
  if (operator === 'empty') return values.length === 0;
  const positive = POSITIVE[operator] ?? operator;
  return values.some((text) => passes(positive, text, value, circumstances)) === (positive === operator);
}

/** Compares the answers to two fields (C17). An answer `today` is no date. */
export function isComparisonMet(
  operator: string,
  stored: readonly string[] | undefined,
  otherStored: readonly string[] | undefined,
  options: readonly string[] = [],
): boolean {
  const others = otherStored?.filter((text) => text !== '') ?? [];
  if (stored === undefined || others.length === 0) return false;
  const positive = POSITIVE[operator] ?? operator;
  const pairs = stored.filter((text) => text !== '').flatMap((text) => others.map((other) => [text, other]));
  return (
    pairs.some(([text, other]) => passes(positive, text!, other!, { options })) === (positive === operator)
  );
}

function passes(operator: string, text: string, value: string, { todays = [], options = [] }: Circumstances) {
  switch (operator) {
    case 'equals':
      return text === value;
    case 'contains':
      return text.includes(value);
    case 'greater_than':
      return areNumbers(text, value) && difference(text, value) > 0n;
    case 'less_than':
      return areNumbers(text, value) && difference(text, value) < 0n;
    case 'at_least':
      return areNumbers(text, value) && difference(text, value) >= 0n;
    case 'at_most':
      return areNumbers(text, value) && difference(text, value) <= 0n;
    case 'before':
      return isDay(text) && days(value, todays).some((day) => text < day);
    case 'after':
      return isDay(text) && days(value, todays).some((day) => text > day);
    case 'on_or_before':
      return isDay(text) && days(value, todays).some((day) => text <= day);
    case 'on_or_after':
      return isDay(text) && days(value, todays).some((day) => text >= day);
    case 'includes': {
      const readings = readingsOf(text.split(','), options);
      return readings.length === 1 && readings[0]!.includes(value);
    }
    case 'in':
      return value
        .split(',')
        .map((item) => item.trim())
        .includes(text);
    case 'not_empty':
      return true;
    default:
      throw new Error(`The contract has no operator ${operator}.`);
  }
}

/** All ways to read the parts as options (C18). White space around an option does not count, unless it has some of its own. */
function readingsOf(parts: readonly string[], options: readonly string[]): string[][] {
  if (parts.length === 0) return [[]];
  return parts.flatMap((_, index) => {
    const text = parts.slice(0, index + 1).join(',');
    const option = options.includes(text) ? text : text.trim();
    if (!options.includes(option)) return [];
    return readingsOf(parts.slice(index + 1), options).map((rest) => [option, ...rest]);
  });
}

const isDay = (text: string) =>
  /^\d{4}-\d\d-\d\d$/.test(text) &&
  !Number.isNaN(Date.parse(`${text}T00:00Z`)) &&
  new Date(`${text}T00:00Z`).toISOString().startsWith(text);

/** The dates of a condition's value, for each date that today may be (C16). */
function days(value: string, todays: readonly string[]): string[] {
  const [, sign, count = '0', unit = 'd'] = /^today(?:([+-])(\d{1,5})([dmy]))?$/.exec(value) ?? ['', 'none'];
  if (sign === 'none') return isDay(value) ? [value] : [];
  const distance = sign === '-' ? -Number(count) : Number(count);
  return todays.flatMap((today) => {
    const [year = 0, month = 0, day = 0] = today.split('-').map(Number);
    const moved = new Date(0);
    if (unit === 'd') moved.setUTCFullYear(year, month - 1, day + distance);
    else {
      const months = unit === 'm' ? distance : 12 * distance;
      moved.setUTCFullYear(year, month + months, 0);
      moved.setUTCDate(Math.min(day, moved.getUTCDate()));
    }
    const isWritten = moved.getUTCFullYear() >= 1 && moved.getUTCFullYear() <= 9999;
    return isWritten ? [moved.toISOString().slice(0, 10)] : [];
  });
}

const areNumbers = (one: string, other: string) => decimal(one) !== undefined && decimal(other) !== undefined;

/** Returns the difference of two decimal numbers in some unit, or 0 if one of them is not a number (C4). */
export function difference(left: string, right: string): bigint {
  const [a, b] = [decimal(left), decimal(right)];
  if (a === undefined || b === undefined) return 0n;
  const unit = Math.min(a.exponent, b.exponent);
  const inUnits = ({ digits, exponent }: Decimal) => digits * 10n ** BigInt(exponent - unit);
  return inUnits(a) - inUnits(b);
}

interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

export function decimal(text: string): Decimal | undefined {
  const parts = /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(text.trim());
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts ?? [];
  if (whole + fraction === '') return undefined;
  const digits = BigInt(whole + fraction);
  return { digits: sign === '-' ? -digits : digits, exponent: Number(exponent) - fraction.length };
}
