import { Button, Icon } from '@adminjs/design-system';
import React from 'react';

interface IconButtonProps {
  readonly id?: string;
  readonly icon: string;
  readonly label: string;
  readonly isDisabled?: boolean;
  readonly onPress: () => void;
}

/** A button without a text. Hidden while it is disabled, so that the others keep their places. */
export function IconButton({ id, icon, label, isDisabled = false, onPress }: IconButtonProps) {
  return (
    <Button
      id={id}
      type="button"
      size="icon"
      variant="text"
      aria-label={label}
      title={label}
      disabled={isDisabled}
      onClick={onPress}
      // Without a transition, the button can have the focus at once when it appears.
      style={{ visibility: isDisabled ? 'hidden' : 'visible', transition: 'none' }}
    >
      <Icon icon={icon} />
    </Button>
  );
}

interface MoveButtonsProps {
  /** Prefix of the ids of the buttons. */
  readonly id?: string;
  readonly name: string;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly onMove: (direction: 'up' | 'down') => void;
}

/** Move a part without dragging, also by keyboard. */
export function MoveButtons({ id, name, isFirst, isLast, onMove }: MoveButtonsProps) {
  const ids = (direction: string) => (id === undefined ? {} : { id: `${id}-${direction}` });
  return (
    <>
      <IconButton
        {...ids('up')}
        icon="ArrowUp"
        label={`Move ${name} up`}
        isDisabled={isFirst}
        onPress={() => onMove('up')}
      />
      <IconButton
        {...ids('down')}
        icon="ArrowDown"
        label={`Move ${name} down`}
        isDisabled={isLast}
        onPress={() => onMove('down')}
      />
    </>
  );
}
