import { Box, Icon } from '@adminjs/design-system';
import React, { type ReactNode } from 'react';
import { MoveButtons } from '../move-buttons.tsx';
import type { Part } from './arrangement.ts';
import { type Arranging, moveButtonsId } from './use-arranging.ts';

interface PartHeaderProps {
  readonly part: Part;
  readonly name: string;
  readonly arranging: Arranging;
  readonly children: ReactNode;
}

/** Height of the buttons. The handle and the first line of the row have the same. */
const ROW = 32;

/** The row of a step or a field, with a handle to drag it, and buttons that move it too. */
export function PartHeader({ part, name, arranging, children }: PartHeaderProps) {
  return (
    <Box flex flexDirection="row" alignItems="flex-start" style={{ gap: 8 }}>
      <Box
        as="span"
        title={`Drag ${name}`}
        flex
        alignItems="center"
        flexShrink={0}
        style={{ cursor: 'grab', height: ROW }}
        {...arranging.handle(part)}
      >
        <Icon icon="Menu" color="grey60" />
      </Box>
      <Box
        flex
        flexGrow={1}
        flexDirection="row"
        flexWrap="wrap"
        alignItems="center"
        style={{ gap: '0 8px', minHeight: ROW }}
      >
        {children}
      </Box>
      <Box flex flexDirection="row" flexShrink={0}>
        <MoveButtons
          id={moveButtonsId(part)}
          name={name}
          isFirst={!arranging.canMove(part, 'up')}
          isLast={!arranging.canMove(part, 'down')}
          onMove={(direction) => arranging.moveBeside(part, direction)}
        />
      </Box>
    </Box>
  );
}

/** A line where a dragged part would be dropped. It takes no space, so that nothing moves under the pointer. */
export function DropLine({ isShown }: { isShown: boolean }) {
  return isShown ? <Box bg="primary100" style={{ height: 3, margin: '-1px 0 -2px' }} /> : null;
}
