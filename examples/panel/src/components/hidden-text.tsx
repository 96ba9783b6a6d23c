import React, { type ReactNode } from 'react';

interface HiddenTextProps {
  /** `status`: screen readers announce each change. */
  readonly role?: 'status';
  readonly children: ReactNode;
}

/** A text for screen readers only. */
export function HiddenText({ role, children }: HiddenTextProps) {
  return (
    <span role={role} style={HIDDEN}>
      {children}
    </span>
  );
}

const HIDDEN = {
  position: 'absolute',
  width: 1,
  height: 1,
  overflow: 'hidden',
  clipPath: 'inset(50%)',
} as const;
