import type { EditPropertyProps } from 'adminjs';
import React from 'react';
import { OtherField } from './other-field.tsx';
import { isOther, rowOf } from './row-cells.js';
import { boundOf, fitsOther } from './rule-sentences.js';

/** Selects the field with whose answer a rule compares. It has one value for each value of this field. */
export default function RuleOtherField(props: EditPropertyProps) {
  const { params } = props.record;
  const { kind } = rowOf(props);
  const bound = boundOf(kind);
  const entityId = String(params['entityId'] ?? '');
  return (
    <OtherField
      {...props}
      compares={bound === 'field' ? 'field' : bound === 'number' || bound === 'date' ? 'either' : 'value'}
      offers={(field) =>
        isOther(props, field) &&
        fitsOther(kind, field) &&
        (!field.isRepeatable || (field.entityId !== null && String(field.entityId) === entityId))
      }
    />
  );
}
