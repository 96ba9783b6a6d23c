import { Box } from '@adminjs/design-system';
import { type ShowPropertyProps, useTranslation } from 'adminjs';
import React from 'react';
import { CopiedText } from './copied-text.tsx';

/** The reference of a submission, to copy it into a message. */
export default function Reference({ property, record }: ShowPropertyProps) {
  const { translateProperty } = useTranslation();
  return (
    <Box style={{ maxWidth: 400 }}>
      <CopiedText
        id={property.path}
        label={translateProperty(property.label, property.resourceId)}
        text={String(record.params[property.path])}
      />
    </Box>
  );
}
