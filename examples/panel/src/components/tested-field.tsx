import type { EditPropertyProps } from 'adminjs';
import React from 'react';
import { valuesIn } from './condition-sentences.js';
import { FieldSelect } from './field-select.tsx';
import { Labelled } from './labelled.tsx';
import { besides, cellValue, isOther, rowOf } from './row-cells.js';
import { fieldsById } from './tested-fields.js';
import { useTestedSteps } from './tested-steps.js';

/** Selects the field that a condition tests. */
export default function TestedField(props: EditPropertyProps) {
  const { property, record, onChange } = props;
  const fields = fieldsById(useTestedSteps());
  const chosen = cellValue(props);
  const choose = (id: string) => {
    if (id === chosen) return;
    onChange(property.path, id);
    const values = valuesIn(rowOf(props));
    const options = fields.get(id)?.options;
    const isOption = (value: string) => options?.some((option) => option.value === value);
    // Otherwise the condition would keep an option of the previous field.
    if (options?.length && !values.every(isOption)) onChange(besides(props, 'value'), '');
  };
  return (
    <Labelled {...props}>
      <FieldSelect
        id={property.path}
        chosen={chosen}
        offers={(field) => isOther(props, field)}
        onChoose={choose}
        placeholder={record.params['formId'] ? undefined : 'Choose the form first'}
      />
    </Labelled>
  );
}
