import { Box, DrawerContent } from '@adminjs/design-system';
import React from 'react';

/** The white area of a page, or the dark one, with lines that are not too long. */
export function Page({ children }: { readonly children: React.ReactNode }) {
  return (
    <DrawerContent>
      <Box style={{ maxWidth: 720 }}>{children}</Box>
    </DrawerContent>
  );
}
