import { Text } from '@adminjs/design-system';
import type { PropertyJSON } from 'adminjs';
import React from 'react';

/** Shows the description under the label, also for touch screens and screen readers. AdminJS shows it only on hovering over an icon. */
export default function PropertyDescription({ property }: { property: PropertyJSON }) {
  return property.description ? (
    <Text as="span" display="block" color="grey60" fontSize="sm">
      {property.description}
    </Text>
  ) : null;
}
