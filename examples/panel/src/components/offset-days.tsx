import { BasePropertyComponent, type EditPropertyProps } from 'adminjs';
import React from 'react';
import { rowOf, useNeeded } from './row-cells.js';
import { boundOf } from './rule-sentences.js';

/** Edits the days that a rule adds to the date of the other field. */
export default function OffsetDays(props: EditPropertyProps) {
  const { kind, otherFieldId } = rowOf(props);
  if (!useNeeded(boundOf(kind) === 'date' && Boolean(otherFieldId), props)) return null;
  return <BasePropertyComponent {...props} property={{ ...props.property, components: {} }} />;
}
