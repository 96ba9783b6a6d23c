import { Button, Icon } from '@adminjs/design-system';
import React, { type ReactNode, useState } from 'react';

interface OpenerProps {
  readonly label: string;
  readonly isOpenAtFirst?: boolean;
  readonly children: ReactNode;
}

/** A button that shows and hides the form below it. */
export function Opener({ label, isOpenAtFirst = false, children }: OpenerProps) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  return (
    <>
      <Button
        type="button"
        size="sm"
        mt="default"
        mr="default"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon icon={isOpen ? 'X' : 'Plus'} />
        {label}
      </Button>
      {isOpen && children}
    </>
  );
}
