import { BasePropertyComponent, type BasePropertyJSON, type BasePropertyProps } from 'adminjs';
import React from 'react';

/** Whether the field's type has one of the components in `custom.components`. */
export function isOfTypes({ custom }: BasePropertyJSON, record: BasePropertyProps['record']): boolean {
  const type = record?.populated['fieldTypeId'];
  const components = custom['components'] as readonly string[];
  return type
    ? components.includes(String(type.params['component']))
    : Boolean(record?.params['fieldTypeId']);
}

/** Shows or edits a property only of fields of some types. */
export default function OfFieldTypes(props: BasePropertyProps) {
  const { property, record } = props;
  return isOfTypes(property, record) ? (
    <BasePropertyComponent {...props} property={{ ...property, components: {} }} />
  ) : null;
}
