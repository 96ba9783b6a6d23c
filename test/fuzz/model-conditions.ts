import type { PublishedCondition } from './model-types.js';

/* The contract's rules for conditions, implemented as simply as possible. */

/** The values that conditions see. Undefined for a field that the schema does not have, because it is retired. */
export type ValuesOf = (fieldId: number) => string[] | undefined;

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

const isMet = ({ depends_on_field_id, operator, value }: PublishedCondition, valuesOf: ValuesOf) =>
  isMetBy(operator, value, valuesOf(depends_on_field_id));

export function isMetBy(operator: string, value: string, stored: readonly string[] | undefined): boolean {
  // A condition on a retired field is never met (N6).
  if (stored === undefined) return false;
  // An empty text counts as no value (C2). One of several values is enough, but a negation must hold for all of them (C7).
  const values = stored.filter((text) => text !== '');
  const list = value.split(',').map((item) => item.trim());
  switch (operator) {
    case 'equals':
      return values.includes(value);
    case 'not_equals':
      return !values.includes(value);
    case 'contains':
      return values.some((text) => text.includes(value));
    case 'greater_than':
      return values.some((text) => difference(text, value) > 0n);
    case 'less_than':
      return values.some((text) => difference(text, value) < 0n);
    case 'in':
      return values.some((text) => list.includes(text));
    case 'not_in':
      return !values.some((text) => list.includes(text));
    case 'empty':
      return values.length === 0;
    case 'not_empty':
      return values.length > 0;
    default:
      throw new Error(`The contract has no operator ${operator}.`);
  }
}

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
