import type { ShowPropertyProps } from 'adminjs';
import React from 'react';
import { zonedTime } from './zoned-time.ts';

/** AdminJS's times have no time zone. */
export default function TimeInList({ record, property }: ShowPropertyProps) {
  return <span>{zonedTime(record.params[property.path])}</span>;
}
