import { ValueGroup } from '@adminjs/design-system';
import { type ShowPropertyProps, useTranslation } from 'adminjs';
import React from 'react';
import { zonedTime } from './zoned-time.ts';

/** AdminJS's times have no time zone. */
export default function ShownTime({ record, property }: ShowPropertyProps) {
  const { translateProperty } = useTranslation();
  return (
    <ValueGroup label={translateProperty(property.label, property.resourceId)}>
      {zonedTime(record.params[property.path])}
    </ValueGroup>
  );
}
