import type { EditPropertyProps } from 'adminjs';
import React from 'react';
import { ChoiceSelect } from './choice-select.tsx';
import { Labelled } from './labelled.tsx';
import { cellValue } from './row-cells.js';

interface FittingChoicesProps extends EditPropertyProps {
  readonly fits: (value: string) => boolean;
}

/** Selects one of the values of a property that fit the rest of the record. A value that does not fit stays until another is chosen. */
export function FittingChoices({ fits, ...props }: FittingChoicesProps) {
  const { path, availableValues } = props.property;
  const chosen = cellValue(props);
  const choices = (availableValues ?? []).map(({ value, label }) => ({
    value: String(value),
    label: label ?? '',
  }));
  return (
    <Labelled {...props}>
      <ChoiceSelect
        id={path}
        choices={choices.filter(({ value }) => value === chosen || fits(value))}
        value={chosen}
        onChange={(value) => props.onChange(path, value)}
      />
    </Labelled>
  );
}
