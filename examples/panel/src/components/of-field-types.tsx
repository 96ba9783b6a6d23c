import { BasePropertyComponent, type BasePropertyProps } from 'adminjs';
import React from 'react';

/** Shows or edits a property only if the field's type has one of the components in `custom.components`. */
export default function OfFieldTypes(props: BasePropertyProps) {
  const { property, record } = props;
  const type = record?.populated['fieldTypeId'];
  const components = property.custom['components'] as readonly string[];
  const isShown = type
    ? components.includes(String(type.params['component']))
    : Boolean(record?.params['fieldTypeId']);
  return isShown ? <BasePropertyComponent {...props} property={{ ...property, components: {} }} /> : null;
}
