import { Select } from '@adminjs/design-system';
import { ApiClient, type EditPropertyProps, flat, type RecordJSON } from 'adminjs';
import React, { useEffect, useState } from 'react';
import { Labelled } from './labelled.tsx';

interface Choice {
  readonly value: string;
  readonly label: string;
  readonly params: RecordJSON['params'];
}

/** Selects a step or entity of the record's form by its name. Copies the property in `custom.copies`, if any, from it. */
export default function OfSameForm({ property, record, onChange }: EditPropertyProps) {
  const [choices, setChoices] = useState<Choice[]>([]);
  const formId: unknown = record.params['formId'];
  const chosen: unknown = flat.get(record.params, property.path);

  const choose = (choice: Choice | null) => {
    onChange(property.path, choice?.value ?? null);
    const copied = property.custom['copies'] as string | undefined;
    if (copied !== undefined) onChange(copied, Boolean(choice?.params[copied]));
  };

  useEffect(() => {
    if (!formId) return;
    const params = { 'filters.formId': formId, perPage: 500 };
    void new ApiClient()
      .resourceAction({ resourceId: property.reference ?? '', actionName: 'search', params })
      .then(({ data }) => {
        const { records } = data as { records: RecordJSON[] };
        setChoices(records.map(({ id, title, params }) => ({ value: id, label: title, params })));
      });
  }, [formId, property.reference]);

  return (
    <Labelled property={property} record={record}>
      <Select
        inputId={property.path}
        value={choices.find(({ value }) => value === String(chosen)) ?? null}
        options={choices}
        onChange={choose}
        isClearable
        placeholder={formId ? undefined : 'Choose the form first'}
      />
    </Labelled>
  );
}
