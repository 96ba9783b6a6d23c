import { Box, Button, FormGroup, FormMessage, Icon } from '@adminjs/design-system';
import {
  BasePropertyComponent,
  type BasePropertyJSON,
  type EditPropertyProps,
  flat,
  PropertyLabel,
} from 'adminjs';
import React from 'react';
import { IconButton, MoveButtons } from './move-buttons.tsx';

type Row = Record<string, unknown>;

/** Edits the parts of a record, such as the options of a field, as rows. Rows can be moved and removed by keyboard too. */
export default function Rows({ property, record, resource, onChange }: EditPropertyProps) {
  const rows = (flat.get(record.params, property.path) ?? []) as Row[];
  const { row: name, fresh } = property.custom as { row: string; fresh?: Row };
  const error = record.errors[property.path];

  const change = (...rows: Row[]) => onChange(property.path, rows);
  const without = (index: number) => rows.filter((_, other) => other !== index);
  const move = (row: Row, index: number, to: number) => change(...without(index).toSpliced(to, 0, row));

  return (
    <FormGroup error={Boolean(error)} data-testid={property.path}>
      <style>{CELLS}</style>
      <PropertyLabel property={property} />
      {rows.map((row, index) => (
        <Box
          key={index}
          role="group"
          aria-label={`${name} ${index + 1}`}
          border="default"
          mb="default"
          p="default"
          flex
          flexDirection="row"
          style={{ gap: 8 }}
        >
          <Box
            flexGrow={1}
            display="grid"
            className="row-cells"
            style={{
              minWidth: 0,
              gap: '0 16px',
              gridTemplateColumns: 'repeat(auto-fit, minmax(min(180px, 100%), 1fr))',
            }}
          >
            {property.subProperties.map((column) => (
              <BasePropertyComponent
                key={column.name}
                where="edit"
                property={cell(property, index, column)}
                resource={resource}
                record={record}
                onChange={onChange}
              />
            ))}
          </Box>
          <Box flex flexDirection="row" flexShrink={0} alignItems="start">
            {property.isDraggable && (
              <MoveButtons
                name={`${name} ${index + 1}`}
                isFirst={index === 0}
                isLast={index === rows.length - 1}
                onMove={(direction) => move(row, index, direction === 'up' ? index - 1 : index + 1)}
              />
            )}
            <IconButton
              icon="Trash2"
              label={`Remove ${name} ${index + 1}`}
              onPress={() => change(...without(index))}
            />
          </Box>
        </Box>
      ))}
      <FormMessage>{error?.message}</FormMessage>
      <Button type="button" size="sm" onClick={() => change(...rows, fresh ?? {})}>
        <Icon icon="Plus" />
        Add {name.toLowerCase()}
      </Button>
    </FormGroup>
  );
}

/** Without cells that the row has no use for, and without the space below inputs that are not in rows. */
const CELLS = `
  .row-cells > :empty { display: none; }
  .row-cells [data-testid] > * { margin-bottom: 0; }
  .row-cells [data-testid] > * > .adminjs_Text { min-height: 8px; }
`;

/** AdminJS finds the value and the error of the cell by its path. */
function cell(property: BasePropertyJSON, index: number, column: BasePropertyJSON) {
  const path = `${property.propertyPath}.${index}.${column.name}`;
  return { ...column, path, props: { ...column.props, ...(column.availableValues && { inputId: path }) } };
}
