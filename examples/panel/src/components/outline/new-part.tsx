import { Box, Button, Text } from '@adminjs/design-system';
import React, { type FormEvent, type ReactNode } from 'react';

interface NewPartProps {
  readonly name: string;
  readonly isSaving: boolean;
  /** Says what was added last. */
  readonly added: string;
  /** An input in the row of the button. */
  readonly beside?: ReactNode;
  readonly children: ReactNode;
  readonly onSubmit: () => Promise<void>;
}

/** A form for a new part of a form. Stays open for the next one. */
export function NewPart({ name, isSaving, added, beside, children, onSubmit }: NewPartProps) {
  return (
    <Box
      as="form"
      aria-label={name}
      border="default"
      mt="default"
      p="lg"
      style={{ display: 'grid', gap: 16, maxWidth: 640 }}
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        if (!isSaving) void onSubmit();
      }}
    >
      {children}
      <Box flex flexDirection="row" flexWrap="wrap" alignItems="center" style={{ gap: 16 }}>
        {beside}
        <Button type="submit" variant="contained" aria-disabled={isSaving}>
          Add
        </Button>
        <Text role="status" color="grey60">
          {added}
        </Text>
      </Box>
    </Box>
  );
}
