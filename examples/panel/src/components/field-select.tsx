import { Select } from '@adminjs/design-system';
import React from 'react';
import type { TestedField } from './tested-fields.js';
import { useTestedSteps } from './tested-steps.js';

interface Choice {
  readonly value: string;
  readonly label: string;
}

interface FieldSelectProps {
  readonly inputId: string;
  /** The id of a field, the value of one of the first choices, or an empty text. */
  readonly chosen: string;
  /** Choices before the fields. */
  readonly first?: readonly Choice[];
  /** Whether the field is offered. Fields that are retired are not, but one that is chosen always is. */
  readonly offers: (field: TestedField) => boolean;
  readonly onChoose: (value: string) => void;
  readonly placeholder?: string | undefined;
}

/** Selects a field of the form by its label. The fields are grouped by their step. */
export function FieldSelect({
  inputId,
  chosen,
  first = [],
  offers,
  onChoose,
  placeholder,
}: FieldSelectProps) {
  const groups = useTestedSteps().map(({ title, fields }) => ({
    label: title,
    options: fields
      .filter((field) => String(field.id) === chosen || (!field.isRetired && offers(field)))
      .map(({ id, name, isRetired }) => ({
        value: String(id),
        label: isRetired ? `${name} (retired)` : name,
      })),
  }));
  const choices = [...first, ...groups.flatMap(({ options }) => options)];
  return (
    <Select
      inputId={inputId}
      value={choices.find(({ value }) => value === chosen) ?? null}
      options={[...first, ...groups.filter(({ options }) => options.length > 0)]}
      onChange={({ value }: Choice) => onChoose(value)}
      isClearable={false}
      placeholder={placeholder ?? 'Choose a field'}
    />
  );
}
