import { type EditPropertyProps, flat } from 'adminjs';
import React from 'react';
import Rows from './rows.tsx';

interface OptionCells {
  readonly places?: unknown;
  readonly isExclusive?: unknown;
}

/** AdminJS has the value of a new row as a text. */
const isExclusive = ({ isExclusive }: OptionCells) => String(isExclusive) === 'true';

/**
 * Edits the options of a field, unless its type has none. Only choices have places, and only a choice of several has options that exclude
 * the others, unless a row has them, which can be cleared then.
 */
export default function OptionsOfField(props: EditPropertyProps) {
  const { property, record } = props;
  const component = String(record.populated['fieldTypeId']?.params['component']);
  const { without, withPlaces, withExclusive } = property.custom as Readonly<
    Record<string, readonly string[]>
  >;
  const rows = (flat.get(record.params, property.path) ?? []) as readonly OptionCells[];
  if (without?.includes(component) && rows.length === 0) return null;
  const hidden = [
    ...(withPlaces?.includes(component) || rows.some(({ places }) => places != null) ? [] : ['places']),
    ...(withExclusive?.includes(component) || rows.some(isExclusive) ? [] : ['isExclusive']),
  ];
  const subProperties = property.subProperties.filter(({ name }) => !hidden.includes(name));
  return <Rows {...props} property={{ ...property, subProperties }} />;
}
