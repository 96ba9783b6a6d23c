import { FormGroup, FormMessage, Input, Text } from '@adminjs/design-system';
import { type EditPropertyProps, PropertyLabel } from 'adminjs';
import React, { type ChangeEvent } from 'react';
import { localTime, ownTimeZone, timeIn } from './times.ts';

/**
 * Edits a time. Unlike AdminJS's input, which drops a time that is typed in half, a browser's input then stops the form and says why.
 * A form with a time zone shows the time there, too.
 */
export default function Time({ property, record, onChange }: EditPropertyProps) {
  const error = record.errors[property.path];
  const { [property.path]: time, timeZone } = record.params as Record<string, string | null | undefined>;
  const inForm = time && timeZone && timeZone !== ownTimeZone() ? timeIn(timeZone, time) : undefined;
  return (
    <FormGroup error={Boolean(error)} data-testid={`property-edit-${property.path}`}>
      <PropertyLabel property={property} />
      <Input
        id={property.path}
        type="datetime-local"
        max="9999-12-31T23:59"
        // A program may have stored seconds.
        step="any"
        defaultValue={time ? localTime(time) : ''}
        onChange={({ target: { value } }: ChangeEvent<HTMLInputElement>) =>
          // The service's time zone may be another one.
          onChange(property.path, value && new Date(value).toISOString())
        }
      />
      <Text color="grey60" fontSize="sm">
        In your time zone, {ownTimeZone()}
        {inForm && `. For the form: ${inForm}`}
      </Text>
      <FormMessage>{error?.message}</FormMessage>
    </FormGroup>
  );
}
