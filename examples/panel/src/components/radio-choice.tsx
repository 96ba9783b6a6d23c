import { Box, FormGroup, FormMessage, Text } from '@adminjs/design-system';
import { type EditPropertyProps, flat, PropertyLabel, useTranslation } from 'adminjs';
import React from 'react';

/** Edits a required choice of a few values. Unlike AdminJS's select, it shows all of them, and cannot be cleared. */
export default function RadioChoice({ property, record, onChange }: EditPropertyProps) {
  const chosen = (flat.get(record.params, property.path) as string | null | undefined) ?? '';
  const { translateProperty } = useTranslation();
  const error = record.errors[property.path];
  return (
    <FormGroup error={Boolean(error)}>
      <div role="radiogroup" aria-label={translateProperty(property.label, property.resourceId)}>
        <PropertyLabel property={property} />
        {property.availableValues?.map(({ value, label }) => (
          <Box
            as="label"
            key={value}
            flex
            flexDirection="row"
            alignItems="center"
            style={{ gap: 8, minHeight: 32 }}
          >
            <input
              type="radio"
              name={property.path}
              checked={String(value) === chosen}
              onChange={() => onChange(property.path, value)}
            />
            <Text as="span">{label}</Text>
          </Box>
        ))}
      </div>
      <FormMessage>{error?.message}</FormMessage>
    </FormGroup>
  );
}
