import { Select } from '@adminjs/design-system';
import React from 'react';

export interface Choice {
  readonly value: string;
  readonly label: string;
}

interface ChoiceGroup {
  readonly label: string;
  readonly options: readonly Choice[];
}

interface ChoiceSelectProps {
  readonly id: string;
  /** Its name for screen readers, if no label has its id. */
  readonly name?: string;
  readonly choices: readonly (Choice | ChoiceGroup)[];
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly placeholder?: string | undefined;
}

/** Selects one of some values by its label. */
export function ChoiceSelect({ id, name, choices, value, onChange, placeholder }: ChoiceSelectProps) {
  const all = choices.flatMap((choice) => ('options' in choice ? choice.options : [choice]));
  return (
    <Select
      inputId={id}
      aria-label={name}
      value={all.find((choice) => choice.value === value) ?? null}
      options={choices}
      onChange={({ value }: Choice) => onChange(value)}
      isClearable={false}
      placeholder={placeholder}
    />
  );
}

/** Choices from the words for each value. */
export const choicesOf = (words: Readonly<Record<string, string>>): Choice[] =>
  Object.entries(words).map(([value, label]) => ({ value, label }));
