import { Text } from '@adminjs/design-system';
import type { PropertyJSON } from 'adminjs';
import React from 'react';

/** Under the label, where touch screens and screen readers have it too; AdminJS shows it when a mouse is over an icon. */
export default function PropertyDescription({ property }: { property: PropertyJSON }) {
  return property.description ? (
    <Text as="span" display="block" color="grey60" fontSize="sm">
      {property.description}
    </Text>
  ) : null;
}
