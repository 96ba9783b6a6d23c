import { type EditPropertyProps, flat } from 'adminjs';
import { useEffect } from 'react';
import type { ConditionCells } from './condition-sentences.js';
import type { RuleCells } from './rule-sentences.js';
import type { TestedField } from './tested-fields.js';

type Cell = Pick<EditPropertyProps, 'property' | 'record'>;

/** The path of another cell in the row of this one. */
export const besides = ({ property }: Pick<Cell, 'property'>, name: string): string =>
  property.path.replace(/\w+$/, name);

/** The values of the row of a cell. */
export const rowOf = ({ property, record }: Cell) =>
  flat.get(record.params, property.path.replace(/\.\w+$/, '')) as ConditionCells & RuleCells;

export const cellValue = ({ property, record }: Cell): string =>
  String((flat.get(record.params, property.path) as string | number | null | undefined) ?? '');

/** Whether the page is not that of this field. */
export const isOther = ({ record, resource }: EditPropertyProps, { id }: TestedField): boolean =>
  resource.id !== 'fields' || id !== Number(record.id);

/** Empties a cell that the row has no use for, and returns whether it has. */
export function useNeeded(isNeeded: boolean, props: EditPropertyProps): boolean {
  const { property, onChange } = props;
  const isFilled = cellValue(props) !== '';
  useEffect(() => {
    if (!isNeeded && isFilled) onChange(property.path, '');
  }, [isNeeded, isFilled]);
  return isNeeded;
}
