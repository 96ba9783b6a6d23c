import type { EditPropertyProps } from 'adminjs';
import React from 'react';
import { comparesAnswers, valueOf } from './condition-sentences.js';
import { OtherField } from './other-field.tsx';
import { isOther, rowOf } from './row-cells.js';
import { canHold } from './tested-fields.js';

/** Selects the field with whose answer a condition compares. */
export default function ConditionOtherField(props: EditPropertyProps) {
  const { operator, dependsOnFieldId } = rowOf(props);
  const value = valueOf(operator);
  const holds = value === 'number' || value === 'date' ? value : 'text';
  return (
    <OtherField
      {...props}
      compares={comparesAnswers(operator) ? 'either' : 'value'}
      offers={(field) =>
        isOther(props, field) && String(field.id) !== String(dependsOnFieldId) && canHold(holds, field)
      }
    />
  );
}
