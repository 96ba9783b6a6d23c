import { type EditPropertyProps, flat } from 'adminjs';
import React from 'react';
import Rows from './rows.tsx';

/** Edits the options of a field, unless its type has none. Only choices have places, unless a row has some, which can be cleared then. */
export default function OptionsOfField(props: EditPropertyProps) {
  const { property, record } = props;
  const component = String(record.populated['fieldTypeId']?.params['component']);
  const { without, withPlaces } = property.custom as Readonly<Record<string, readonly string[]>>;
  const rows = (flat.get(record.params, property.path) ?? []) as readonly { readonly places?: unknown }[];
  if (without?.includes(component) && rows.length === 0) return null;
  const hasPlaces = withPlaces?.includes(component) || rows.some(({ places }) => places != null);
  const subProperties = property.subProperties.filter(({ name }) => hasPlaces || name !== 'places');
  return <Rows {...props} property={{ ...property, subProperties }} />;
}
