import type { ChoicesIn } from './choices.js';
import { compareParsed, type Decimal } from './decimal.js';
import type { FieldValues, Value } from './field-values.js';

/** Whether any value of one answer passes a test with any value of another. Both have a value. */
export type Compares = (tested: Value, other: Value) => boolean;

// A form may compare the same two answers in many conditions, and an answer may have many values. Each result is therefore
// remembered with the first value of the list that it is about.

interface Range<Bound> {
  readonly least: Bound;
  readonly most: Bound;
}

/** Some value is greater than some other value exactly if the greatest is greater than the least of the others. */
const comparesRanges =
  <Bound>(
    rangeOf: (values: Value) => Range<Bound> | null,
    compare: (one: Bound, other: Bound) => number,
    accepts: (order: number) => boolean,
  ): Compares =>
  (tested, other) => {
    const [range, otherRange] = [rangeOf(tested), rangeOf(other)];
    if (range === null || otherRange === null) return false;
    return accepts(compare(range.most, otherRange.least)) || accepts(compare(range.least, otherRange.most));
  };

const compareTexts = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

const numbersIn = remembered((values) => rangeOf(values, ({ decimal }) => decimal, compareParsed));
const datesIn = remembered((values) => rangeOf(values, ({ date }) => date, compareTexts));

export const comparesNumbers = (accepts: (order: number) => boolean): Compares =>
  comparesRanges<Decimal>(numbersIn, compareParsed, accepts);

export const comparesDates = (accepts: (order: number) => boolean): Compares =>
  comparesRanges<string>(datesIn, compareTexts, accepts);

/** Null if no value counts. */
function rangeOf<Bound>(
  values: Value,
  boundOf: (value: Value) => Bound | null,
  compare: (one: Bound, other: Bound) => number,
): Range<Bound> | null {
  let least: Bound | null = null;
  let most: Bound | null = null;
  for (let value: FieldValues = values; value !== undefined; value = value.next) {
    const bound = boundOf(value);
    if (bound === null) continue;
    if (least === null || compare(bound, least) < 0) least = bound;
    if (most === null || compare(bound, most) > 0) most = bound;
  }
  return least === null || most === null ? null : { least, most };
}

const textsIn = remembered((values) => {
  const texts = new Set<string>();
  for (let value: FieldValues = values; value !== undefined; value = value.next) texts.add(value.text);
  return texts;
});

export const anyEquals = anyPair((value, others) => textsIn(others).has(value.text));

export const anyContains = anyPair((value, others) => {
  for (let other: FieldValues = others; other !== undefined; other = other.next)
    if (value.contains(other.text)) return true;
  return false;
});

const includesAny = anyPair((value, others, choicesIn) => {
  const choices = value.choices(choicesIn);
  for (let other: FieldValues = others; other !== undefined; other = other.next)
    if (choices.has(other.text)) return true;
  return false;
});

export const anyIncludes =
  (choicesIn: ChoicesIn | undefined): Compares =>
  (tested, others) =>
    includesAny(tested, others, choicesIn);

/** Whether any value of an answer passes a test with the values of another. `choicesIn` belongs to the field of the tested answer. */
function anyPair(test: (value: Value, others: Value, choicesIn?: ChoicesIn) => boolean) {
  const resultsOf = remembered((_tested: Value) => new WeakMap<Value, boolean>());
  return (tested: Value, others: Value, choicesIn?: ChoicesIn): boolean => {
    if (tested.next === undefined && others.next === undefined) return test(tested, others, choicesIn);
    const results = resultsOf(tested);
    let result = results.get(others);
    if (result === undefined) {
      result = false;
      for (let value: FieldValues = tested; value !== undefined && !result; value = value.next)
        result = test(value, others, choicesIn);
      results.set(others, result);
    }
    return result;
  };
}

function remembered<Result>(compute: (values: Value) => Result): (values: Value) => Result {
  const results = new WeakMap<Value, { readonly result: Result }>();
  return (values) => {
    let known = results.get(values);
    if (known === undefined) results.set(values, (known = { result: compute(values) }));
    return known.result;
  };
}
