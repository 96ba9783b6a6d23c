import { CheckBox, FormGroup, Label, Text } from '@adminjs/design-system';
import type { EditPropertyProps } from 'adminjs';
import React from 'react';

/** The value that the check box sends. The server sets the time, because the clock of the browser may be wrong. */
export type RetireInput = 'now' | '';

/** Retires a field that exists, or takes it into the form again. */
export default function Retire({ property, record, onChange }: EditPropertyProps) {
  if (!record.id) return null;
  const isRetired = Boolean(record.params[property.path]);
  const input: RetireInput = isRetired ? '' : 'now';
  return (
    <FormGroup data-testid={`property-edit-${property.path}`}>
      <CheckBox id={property.path} checked={isRetired} onChange={() => onChange(property.path, input)} />
      <Label inline htmlFor={property.path} ml="default">
        Retire this field
      </Label>
      <Text mt="default" color="grey60" fontSize="sm">
        A retired field is no longer in the form and takes no new values. Conditions that test it are never
        met, so what they show stays hidden. Its stored values stay: pages of submissions and exports show
        them. Clear the check box to use the field again.
      </Text>
    </FormGroup>
  );
}
