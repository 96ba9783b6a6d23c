import { ValueGroup } from '@adminjs/design-system';
import { type BasePropertyProps, useTranslation } from 'adminjs';
import React from 'react';
import { timeOf } from './times.ts';

/** Shows a time with its time zone, which AdminJS leaves out. */
export default function ShownTime({ where, property, record }: BasePropertyProps) {
  const { translateProperty } = useTranslation();
  const time = record?.params[property.path] as string | null | undefined;
  const text = time ? timeOf(time) : '';
  if (where === 'list') return <span>{text}</span>;
  return <ValueGroup label={translateProperty(property.label, property.resourceId)}>{text}</ValueGroup>;
}
