import React from 'react';
import { type Choice, ChoiceSelect } from './choice-select.tsx';
import type { TestedField } from './tested-fields.js';
import { useTestedSteps } from './tested-steps.js';

interface FieldSelectProps {
  readonly id: string;
  /** The id of a field, the value of one of the first choices, or an empty text. */
  readonly chosen: string;
  /** Choices before the fields. */
  readonly first?: readonly Choice[];
  /** Whether the field is offered. Retired fields are left out, unless they are chosen already. */
  readonly offers: (field: TestedField) => boolean;
  readonly onChoose: (value: string) => void;
  readonly placeholder?: string | undefined;
}

/** Selects a field of the form by its label. The fields are grouped by their step. */
export function FieldSelect({ id, chosen, first = [], offers, onChoose, placeholder }: FieldSelectProps) {
  const groups = useTestedSteps().map(({ title, fields }) => ({
    label: title,
    options: fields
      .filter((field) => String(field.id) === chosen || (!field.isRetired && offers(field)))
      .map(({ id, name, isRetired }) => ({
        value: String(id),
        label: isRetired ? `${name} (retired)` : name,
      })),
  }));
  return (
    <ChoiceSelect
      id={id}
      choices={[...first, ...groups.filter(({ options }) => options.length > 0)]}
      value={chosen}
      onChange={onChoose}
      placeholder={placeholder ?? 'Choose a field'}
    />
  );
}
