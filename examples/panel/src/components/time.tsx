import { FormGroup, FormMessage, Input, Text } from '@adminjs/design-system';
import { type EditPropertyProps, PropertyLabel } from 'adminjs';
import React, { type ChangeEvent } from 'react';

/** Edits a time. Unlike AdminJS's input, which drops a time that is typed in half, a browser's input then stops the form and says why. */
export default function Time({ property, record, onChange }: EditPropertyProps) {
  const error = record.errors[property.path];
  return (
    <FormGroup error={Boolean(error)}>
      <PropertyLabel property={property} />
      <Input
        id={property.path}
        type="datetime-local"
        max="9999-12-31T23:59"
        onChange={({ target: { value } }: ChangeEvent<HTMLInputElement>) =>
          // The service's time zone may be another one.
          onChange(property.path, value && new Date(value).toISOString())
        }
      />
      <Text color="grey60" fontSize="sm">
        In your time zone, {Intl.DateTimeFormat().resolvedOptions().timeZone}
      </Text>
      <FormMessage>{error?.message}</FormMessage>
    </FormGroup>
  );
}
