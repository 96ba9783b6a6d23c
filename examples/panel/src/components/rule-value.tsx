import { BasePropertyComponent, type EditPropertyProps } from 'adminjs';
import React from 'react';
import { DateBoundInput } from './date-bound.tsx';
import { dateBoundOf } from './relative-dates.js';
import { rowOf, useNeeded } from './row-cells.js';
import { boundOf } from './rule-sentences.js';

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  length: 'A number of characters',
  pattern: 'A regular expression (RE2) that the whole answer matches',
};

/** Edits the value of a rule: a date, a number, a pattern, or nothing if the rule compares with another field. */
export default function RuleValue(props: EditPropertyProps) {
  const { kind, value, otherFieldId } = rowOf(props);
  const bound = boundOf(kind);
  if (!useNeeded(bound !== 'field' && !otherFieldId, props)) return null;
  const date = bound === 'date' ? dateBoundOf(value ?? '') : undefined;
  if (date !== undefined) return <DateBoundInput {...props} bound={date} hasToday />;
  const description = DESCRIPTIONS[bound ?? ''];
  const property = { ...props.property, ...(description && { description }), components: {} };
  // A key, because AdminJS renders the description only if the value changes, too.
  return <BasePropertyComponent {...props} key={bound} property={property} />;
}
