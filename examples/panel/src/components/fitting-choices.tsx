import { BasePropertyComponent, type EditPropertyProps } from 'adminjs';
import React from 'react';
import { cellValue } from './row-cells.js';

interface FittingChoicesProps extends EditPropertyProps {
  readonly fits: (value: string) => boolean;
}

/** Selects one of the values of a property that fit the rest of the record. A value that does not fit stays until another is chosen. */
export function FittingChoices({ fits, ...props }: FittingChoicesProps) {
  const availableValues = props.property.availableValues ?? [];
  const fitting = availableValues.map(({ value }) => String(value)).filter(fits);
  const chosen = cellValue(props);
  const property = {
    ...props.property,
    availableValues: availableValues.filter(
      ({ value }) => value === chosen || fitting.includes(String(value)),
    ),
    components: {},
  };
  // A key, because AdminJS renders the choices only if the value changes, too.
  return <BasePropertyComponent {...props} key={fitting.join()} property={property} />;
}
