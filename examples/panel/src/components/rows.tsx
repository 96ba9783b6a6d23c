import { Box, Button, FormGroup, FormMessage, Icon } from '@adminjs/design-system';
import {
  BasePropertyComponent,
  type BasePropertyJSON,
  type EditPropertyProps,
  flat,
  PropertyLabel,
} from 'adminjs';
import React from 'react';

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
            style={{ gap: '0 16px', gridTemplateColumns: 'repeat(auto-fit, minmax(min(180px, 100%), 1fr))' }}
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
          <Box flex flexDirection="row" alignItems="start">
            {property.isDraggable && (
              <>
                <RowButton
                  icon="ArrowUp"
                  label={`Move ${name} ${index + 1} up`}
                  isDisabled={index === 0}
                  onPress={() => move(row, index, index - 1)}
                />
                <RowButton
                  icon="ArrowDown"
                  label={`Move ${name} ${index + 1} down`}
                  isDisabled={index === rows.length - 1}
                  onPress={() => move(row, index, index + 1)}
                />
              </>
            )}
            <RowButton
              icon="Trash2"
              label={`Remove ${name} ${index + 1}`}
              onPress={() => change(...without(index))}
            />
          </Box>
        </Box>
      ))}
      <FormMessage>{error?.message}</FormMessage>
      <Button type="button" size="sm" color="text" onClick={() => change(...rows, fresh ?? {})}>
        <Icon icon="Plus" />
        Add {name.toLowerCase()}
      </Button>
    </FormGroup>
  );
}

/** AdminJS finds the value and the error of the cell by its path. */
function cell(property: BasePropertyJSON, index: number, column: BasePropertyJSON) {
  const path = `${property.propertyPath}.${index}.${column.name}`;
  return { ...column, path, props: { ...column.props, ...(column.availableValues && { inputId: path }) } };
}

interface RowButtonProps {
  readonly icon: string;
  readonly label: string;
  readonly isDisabled?: boolean;
  readonly onPress: () => void;
}

function RowButton({ icon, label, isDisabled = false, onPress }: RowButtonProps) {
  return (
    <Button
      type="button"
      size="icon"
      variant="text"
      aria-label={label}
      title={label}
      disabled={isDisabled}
      onClick={onPress}
      style={isDisabled ? { visibility: 'hidden' } : {}}
    >
      <Icon icon={icon} />
    </Button>
  );
}
