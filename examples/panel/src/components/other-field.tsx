import type { EditPropertyProps } from 'adminjs';
import React from 'react';
import { FieldSelect } from './field-select.tsx';
import { Labelled } from './labelled.tsx';
import { cellValue, useNeeded } from './row-cells.js';
import type { TestedField } from './tested-fields.js';

interface OtherFieldProps extends EditPropertyProps {
  /** Whether the row compares with a value, with the answer to another field, or with one of them. */
  readonly compares: 'value' | 'field' | 'either';
  readonly offers: (field: TestedField) => boolean;
}

const A_VALUE = { value: '', label: 'a value' };

/** Selects the field with whose answer a condition or a rule compares, instead of the value in its row. */
export function OtherField({ compares, offers, ...props }: OtherFieldProps) {
  const { property, onChange } = props;
  if (!useNeeded(compares !== 'value', props)) return null;
  return (
    <Labelled {...props}>
      <FieldSelect
        id={property.path}
        chosen={cellValue(props)}
        first={compares === 'either' ? [A_VALUE] : []}
        offers={offers}
        onChoose={(id) => onChange(property.path, id)}
      />
    </Labelled>
  );
}
