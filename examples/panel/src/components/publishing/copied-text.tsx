import { Box, Button, Input, Label, Text } from '@adminjs/design-system';
import React, { type FocusEvent, useRef, useState } from 'react';

interface CopiedTextProps {
  readonly id: string;
  readonly label: string;
  readonly text: string;
  /** Number of lines, for more than one. */
  readonly rows?: number;
}

/** A text with a button that copies it. */
export function CopiedText({ id, label, text, rows }: CopiedTextProps) {
  const input = useRef<HTMLInputElement>(null);
  const [said, setSaid] = useState('');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid('Copied.');
    } catch {
      // Browsers have no clipboard for pages without TLS.
      input.current?.select();
      setSaid('Selected: press Ctrl-C to copy it.');
    }
  };
  return (
    <Box mb="lg">
      <Label htmlFor={id}>{label}</Label>
      <Box flex flexDirection="row" flexWrap="wrap" alignItems="flex-start" style={{ gap: 8 }}>
        <Input
          id={id}
          ref={input}
          {...(rows !== undefined && { as: 'textarea', rows })}
          readOnly
          value={text}
          style={{ flex: '1 1 240px', minWidth: 0, fontFamily: 'monospace' }}
          onFocus={(event: FocusEvent<HTMLInputElement>) => event.target.select()}
        />
        <Button variant="outlined" aria-label={`Copy: ${label}`} onClick={() => void copy()}>
          Copy
        </Button>
      </Box>
      <Text role="status" color="grey60">
        {said}
      </Text>
    </Box>
  );
}
