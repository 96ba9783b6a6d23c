import { Box, DrawerContent } from '@adminjs/design-system';
import React from 'react';

interface PageProps {
  readonly width?: number;
  readonly children: React.ReactNode;
}

/** The white area of a page, or the dark one, with lines that are not too long. */
export function Page({ width = 720, children }: PageProps) {
  return (
    <DrawerContent>
      <Box style={{ maxWidth: width }}>{children}</Box>
    </DrawerContent>
  );
}
