import { FormGroup, FormMessage, Select } from '@adminjs/design-system';
import { ApiClient, type EditPropertyProps, flat, PropertyLabel } from 'adminjs';
import React, { useEffect, useState } from 'react';

interface Choice {
  readonly value: string;
  readonly label: string;
}

/** Selects a step, field or entity of the record's form by its name. */
export default function OfSameForm({ property, record, onChange }: EditPropertyProps) {
  const [choices, setChoices] = useState<Choice[]>([]);
  const formId: unknown = record.params['formId'];
  const chosen: unknown = flat.get(record.params, property.path);
  const error = record.errors[property.path];

  useEffect(() => {
    if (!formId) return;
    const params = { 'filters.formId': formId, perPage: 500 };
    void new ApiClient()
      .resourceAction({ resourceId: property.reference ?? '', actionName: 'search', params })
      .then(({ data }) => {
        const { records } = data as { records: { id: number; title: string }[] };
        setChoices(records.map(({ id, title }) => ({ value: String(id), label: title })));
      });
  }, [formId, property.reference]);

  return (
    <FormGroup error={Boolean(error)}>
      <PropertyLabel property={property} />
      <Select
        inputId={property.path}
        value={choices.find(({ value }) => value === String(chosen)) ?? null}
        options={choices}
        onChange={(choice: Choice | null) => onChange(property.path, choice?.value ?? null)}
        isClearable
        placeholder={formId ? undefined : 'Choose the form first'}
      />
      <FormMessage>{error?.message}</FormMessage>
    </FormGroup>
  );
}
