import { compareDecimals, dayOf, isDate, type Today } from '../../conditions/engine/index.js';
import { fieldError } from '../../http/errors/problems.js';
import type { RuleKind } from '../entities/rule-kinds.js';
import type { CompiledRule } from './rule.js';
import { compilePattern } from './pattern.js';

/**
 * Returns the compiled rule, or the reason why it cannot be compiled. Patterns, dates and numbers ignore white space around the value
 * (J13, C4). Lengths do so only for email addresses, because white space is a part of other texts.
 */
export function compileRule(
  kind: RuleKind,
  bound: string,
  today: Today,
  lengthOf: (value: string) => number,
): Pick<CompiledRule, 'isMet' | 'errorOf'> | string {
  switch (kind) {
    case 'min':
      return {
        isMet: (value) => (compareDecimals(value, bound) ?? -1) >= 0,
        errorOf: (code, message) =>
          fieldError('below_minimum', message ?? `The ${code} must be at least ${bound}.`, { min: bound }),
      };
    case 'max':
      return {
        isMet: (value) => (compareDecimals(value, bound) ?? 1) <= 0,
        errorOf: (code, message) =>
          fieldError('above_maximum', message ?? `The ${code} must be at most ${bound}.`, { max: bound }),
      };
    case 'min_length':
      return {
        isMet: (value) => lengthOf(value) >= Number(bound),
        errorOf: (code, message) =>
          fieldError('too_short', message ?? `The ${code} must have at least ${characters(bound)}.`, {
            min: Number(bound),
          }),
      };
    case 'max_length':
      return {
        isMet: (value) => lengthOf(value) <= Number(bound),
        errorOf: (code, message) =>
          fieldError('too_long', message ?? `The ${code} must have at most ${characters(bound)}.`, {
            max: Number(bound),
          }),
      };
    case 'pattern': {
      const pattern = compilePattern(bound);
      if (typeof pattern === 'string') return `is not an RE2 regular expression: ${pattern}`;
      const isTooLong = (value: string) => value.trim().length > pattern.maxLength;
      return {
        isMet: (value) => !isTooLong(value) && pattern.matches(value.trim()),
        errorOf: (code, message, value) =>
          isTooLong(value)
            ? fieldError(
                'too_long_for_pattern',
                `The ${code} must have at most ${characters(String(pattern.maxLength))}, because its pattern is not applied to longer text.`,
                { max: pattern.maxLength },
              )
            : fieldError('pattern_mismatch', message ?? `The ${code} must match the pattern ${bound}.`, {
                pattern: bound,
              }),
      };
    }
    case 'min_date':
    case 'max_date': {
      const day = dayOf(bound, kind === 'min_date' ? today.earliest : today.latest);
      if (day === undefined) return 'is not a date';
      const isDay = (value: string, isWithin: (day: string) => boolean) =>
        isDate(value.trim()) && isWithin(value.trim());
      // ISO dates of equal length sort chronologically as text.
      return kind === 'min_date'
        ? {
            isMet: (value) => isDay(value, (date) => date >= day),
            errorOf: (code, message) =>
              fieldError('too_early', message ?? `The ${code} must not be before ${day}.`, { min: day }),
          }
        : {
            isMet: (value) => isDay(value, (date) => date <= day),
            errorOf: (code, message) =>
              fieldError('too_late', message ?? `The ${code} must not be after ${day}.`, { max: day }),
          };
    }
    case 'min_sum':
      return {
        isMet: (sum) => (compareDecimals(sum, bound) ?? -1) >= 0,
        errorOf: (code, message, sum) =>
          fieldError('sum_below_minimum', message ?? sumSentence(code, `at least ${bound}`, sum), {
            ...{ min: bound, sum },
          }),
      };
    case 'max_sum':
      return {
        isMet: (sum) => (compareDecimals(sum, bound) ?? 1) <= 0,
        errorOf: (code, message, sum) =>
          fieldError('sum_above_maximum', message ?? sumSentence(code, `at most ${bound}`, sum), {
            ...{ max: bound, sum },
          }),
      };
    case 'equal':
    case 'not_equal':
      return 'names no other field';
  }
}

const sumSentence = (code: string, expected: string, sum: string) =>
  `The sum of all ${code} must be ${expected}, but is ${sum}.`;

const characters = (count: string) => (count === '1' ? '1 character' : `${count} characters`);
