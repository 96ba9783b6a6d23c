import { FormGroup, FormMessage } from '@adminjs/design-system';
import { type EditPropertyProps, PropertyLabel } from 'adminjs';
import React, { type ReactNode } from 'react';

interface LabelledProps extends Pick<EditPropertyProps, 'property' | 'record'> {
  readonly children: ReactNode;
}

/** An input of a property between its label and its error. The id of the input is the path of the property. */
export function Labelled({ property, record, children }: LabelledProps) {
  const error = record.errors[property.path];
  return (
    <FormGroup error={Boolean(error)}>
      <PropertyLabel property={property} />
      {children}
      <FormMessage>{error?.message}</FormMessage>
    </FormGroup>
  );
}
