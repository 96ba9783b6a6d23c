import { type EditPropertyProps, flat } from 'adminjs';
import React from 'react';
import Rows from './rows.tsx';

/** Edits the options of a field, unless its type has none. */
export default function OptionsOfField(props: EditPropertyProps) {
  const { property, record } = props;
  const component = String(record.populated['fieldTypeId']?.params['component']);
  const without = property.custom['without'] as readonly string[];
  const rows = (flat.get(record.params, property.path) ?? []) as readonly unknown[];
  return without.includes(component) && rows.length === 0 ? null : <Rows {...props} />;
}
