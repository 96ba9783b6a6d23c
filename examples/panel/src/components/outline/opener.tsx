import { Button, Icon } from '@adminjs/design-system';
import React, { type ReactNode, useState } from 'react';

interface OpenerProps {
  readonly label: string;
  /** Names the part that the button adds to, for people who cannot see the page. */
  readonly place?: string;
  readonly isOpenAtFirst?: boolean;
  readonly children: ReactNode;
}

/** A button that shows and hides the form below it. Several of them share a row. */
export function Opener({ label, place, isOpenAtFirst = false, children }: OpenerProps) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  return (
    <>
      <Button
        type="button"
        size="sm"
        aria-expanded={isOpen}
        {...(place !== undefined && { 'aria-label': `${label} ${place}` })}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon icon={isOpen ? 'X' : 'Plus'} />
        {label}
      </Button>
      {isOpen && <div className="opened">{children}</div>}
    </>
  );
}
