import { Box, Button, Icon } from '@adminjs/design-system';
import React, { type FocusEvent, type KeyboardEvent, type ReactNode, useRef, useState } from 'react';

interface MenuProps {
  readonly label: string;
  /** List items with a link or a button. */
  readonly children: ReactNode;
}

/** A button that opens a list of links and buttons below it. */
export function Menu({ label, children }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  return (
    <div
      ref={place}
      className="menu"
      onKeyDown={({ key }: KeyboardEvent) => {
        if (key !== 'Escape' || !isOpen) return;
        setOpen(false);
        place.current?.querySelector('button')?.focus();
      }}
      onBlur={({ currentTarget, relatedTarget }: FocusEvent) => {
        // Without a target, the person has clicked outside of all buttons.
        if (!currentTarget.contains(relatedTarget)) setOpen(false);
      }}
    >
      <style>{STYLES}</style>
      <Button type="button" variant="outlined" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {label}
        <Icon icon="ChevronDown" />
      </Button>
      {isOpen && (
        <Box
          as="ul"
          role="list"
          bg="container"
          border="default"
          className="menu-items"
          tabIndex={-1}
          onClick={() => setOpen(false)}
        >
          {children}
        </Box>
      )}
    </div>
  );
}

const STYLES = `
  .menu { position: relative; }
  .menu-items {
    position: absolute; z-index: 10; inset-inline-start: 0; min-width: 220px; margin: 4px 0 0; padding: 8px 0;
    list-style: none; border-radius: 4px; box-shadow: 0 4px 16px rgb(0 0 0 / 20%);
  }
  .menu > button svg { margin-inline-start: 8px; }
  .menu-items a, .menu-items button { display: flex; align-items: center; width: 100%; justify-content: flex-start; min-height: 36px; padding: 0 16px; border: 0; white-space: nowrap; }
  .menu-items svg { display: block; }
  /* As wide as what contains the menu, because the button can be anywhere in its row. */
  @media (max-width: 600px) { .menu { position: static; } .menu-items { inset-inline: 0; } }
`;
