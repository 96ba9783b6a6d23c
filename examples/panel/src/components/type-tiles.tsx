import { Box, Icon, Label, Text } from '@adminjs/design-system';
import React from 'react';
import { shownType, TYPE_GROUPS } from './shown-types.ts';

interface Type {
  readonly id: number;
  readonly name: string;
  readonly component: string;
}

interface TypeTilesProps<T extends Type> {
  /** Name of the radio buttons, unique on the page. */
  readonly name: string;
  readonly types: readonly T[];
  readonly chosen: number | undefined;
  /** `isPointer`: the person clicked, and did not use the keyboard. */
  readonly onChoose: (type: T, isPointer: boolean) => void;
}

/** Chooses the type of a field, by words and pictures in three groups. */
export function TypeTiles<T extends Type>({ name, types, chosen, onChoose }: TypeTilesProps<T>) {
  const shown = types
    .map((type) => ({ type, ...shownType(type) }))
    .sort((one, other) => one.position - other.position);
  return (
    <Box as="fieldset" m="0" p="0" style={{ border: 0, minWidth: 0 }}>
      <style>{STYLES}</style>
      <Label as="legend">Type</Label>
      {TYPE_GROUPS.map((group) => (
        <div key={group} role="group" aria-label={group} className="type-tiles">
          <Text as="span" color="grey60" fontSize="sm" className="type-tiles-group">
            {group}
          </Text>
          {shown
            .filter((one) => one.group === group)
            .map(({ type, words, icon }) => (
              <Box as="label" border="default" key={type.id} className="type-tile">
                <input
                  type="radio"
                  name={name}
                  checked={type.id === chosen}
                  onChange={() => undefined}
                  // Arrow keys and the space bar click, too, without any detail.
                  onClick={({ detail }) => onChoose(type, detail > 0)}
                />
                <Icon icon={icon} />
                <Text as="span">{words}</Text>
              </Box>
            ))}
        </div>
      ))}
    </Box>
  );
}

const STYLES = `
  .type-tiles { display: flex; flex-wrap: wrap; align-items: center; gap: 8px; margin-bottom: 8px; }
  .type-tiles-group { flex: 0 0 56px; }
  .type-tile { position: relative; display: flex; align-items: center; gap: 8px; min-height: 36px; padding: 0 12px; border-radius: 4px; }
  .type-tile input { position: absolute; inset: 0; width: 100%; height: 100%; margin: 0; opacity: 0; cursor: pointer; }
  .type-tile:has(input:checked) { box-shadow: inset 0 0 0 2px currentColor; }
  .type-tile:has(input:focus-visible) { outline: 2px solid currentColor; outline-offset: 2px; }
  @media (max-width: 600px) { .type-tiles-group { flex-basis: 100%; } }
`;
