import { FormGroup, FormMessage, Select } from '@adminjs/design-system';
import { type EditPropertyProps, flat, PropertyLabel } from 'adminjs';
import React from 'react';
import { type ConditionCells, valuesIn } from './condition-sentences.js';
import { useTestedSteps } from './tested-steps.js';

interface Choice {
  readonly value: string;
  readonly label: string;
}

/** Selects the field that a condition tests, by its label. The fields are grouped by their step. */
export default function TestedField({ property, record, resource, onChange }: EditPropertyProps) {
  const steps = useTestedSteps();
  const chosen = String(flat.get(record.params, property.path));
  const error = record.errors[property.path];
  const choose = (id: string) => {
    if (id === chosen) return;
    onChange(property.path, id);
    const row = property.path.replace(/\.\w+$/, '');
    const values = valuesIn(flat.get(record.params, row) as ConditionCells);
    const options = steps.flatMap(({ fields }) => fields).find((field) => String(field.id) === id)?.options;
    const isOption = (value: string) => options?.some((option) => option.value === value);
    // Otherwise the condition would keep an option of the previous field.
    if (options?.length && !values.every(isOption)) onChange(`${row}.value`, '');
  };
  const isItself = (id: number) => resource.id === 'fields' && id === Number(record.id);
  const groups = steps.map(({ title, fields }) => ({
    label: title,
    options: fields
      .filter(({ id, isRetired }) => String(id) === chosen || !(isRetired || isItself(id)))
      .map(({ id, name, isRetired }) => ({
        value: String(id),
        label: isRetired ? `${name} (retired)` : name,
      })),
  }));
  return (
    <FormGroup error={Boolean(error)}>
      <PropertyLabel property={property} />
      <Select
        inputId={property.path}
        value={groups.flatMap(({ options }) => options).find(({ value }) => value === chosen) ?? null}
        options={groups.filter(({ options }) => options.length > 0)}
        onChange={({ value }: Choice) => choose(value)}
        isClearable={false}
        placeholder={record.params['formId'] ? undefined : 'Choose the form first'}
      />
      <FormMessage>{error?.message}</FormMessage>
    </FormGroup>
  );
}
