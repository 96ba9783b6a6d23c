import { FormGroup, FormMessage, Input, ValueGroup } from '@adminjs/design-system';
import { type BasePropertyProps, PropertyLabel, useTranslation } from 'adminjs';
import React, { type ChangeEvent, useState } from 'react';
import { isOfTypes } from './of-field-types.tsx';

const MEGABYTE = 1024 * 1024;

/** Shows or edits a number of bytes in megabytes, for the field types in `custom.components`. */
export default function Megabytes({ where, property, record, onChange }: BasePropertyProps) {
  const { translateProperty } = useTranslation();
  const bytes = record?.params[property.path] as number | string | null | undefined;
  const megabytes =
    bytes == null || bytes === '' ? '' : String(Number((Number(bytes) / MEGABYTE).toFixed(6)));
  const [typed, setTyped] = useState(megabytes);
  const error = record?.errors[property.path];
  if (!isOfTypes(property, record)) return null;
  if (where !== 'edit')
    return (
      <ValueGroup label={translateProperty(property.label, property.resourceId)}>
        {megabytes && `${megabytes} MB`}
      </ValueGroup>
    );
  return (
    <FormGroup error={Boolean(error)} data-testid={`property-edit-${property.path}`}>
      <PropertyLabel property={property} />
      <Input
        id={property.path}
        type="number"
        step="any"
        value={typed}
        onChange={({ target: { value } }: ChangeEvent<HTMLInputElement>) => {
          setTyped(value);
          onChange?.(property.path, value && Math.round(Number(value) * MEGABYTE));
        }}
      />
      <FormMessage>{error?.message}</FormMessage>
    </FormGroup>
  );
}
