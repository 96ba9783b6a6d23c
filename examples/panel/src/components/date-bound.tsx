import { Box, Input } from '@adminjs/design-system';
import type { EditPropertyProps } from 'adminjs';
import React, { type ChangeEvent } from 'react';
import { ChoiceSelect, choicesOf } from './choice-select.tsx';
import { Labelled } from './labelled.tsx';
import { DATE_UNITS, type DateBound, textOfBound } from './relative-dates.js';

interface DateBoundInputProps extends EditPropertyProps {
  readonly bound: DateBound;
  /** False: only a date. */
  readonly hasToday: boolean;
}

const FROM: Readonly<Record<DateBound['from'], string>> = {
  date: 'a date',
  today: 'today',
  before: 'before today',
  after: 'after today',
};
const UNITS = Object.fromEntries(Object.entries(DATE_UNITS).map(([unit, word]) => [unit, `${word}s`]));

/** Chooses a date, or a distance from today. */
export function DateBoundInput({ bound, hasToday, ...props }: DateBoundInputProps) {
  const { path } = props.property;
  const { from, unit } = bound;
  const change = (name: keyof DateBound) => (value: string) =>
    props.onChange(path, textOfBound({ ...bound, [name]: value }));
  const type = (name: 'date' | 'count') => ({
    ...{ required: true, width: 1, value: bound[name] },
    onChange: ({ target }: ChangeEvent<HTMLInputElement>) => change(name)(target.value),
  });
  const dateInput = { type: 'date', min: '0001-01-01', max: '9999-12-31', ...type('date') };
  if (!hasToday)
    return (
      <Labelled {...props}>
        <Input id={path} {...dateInput} />
      </Labelled>
    );
  const isDistance = from === 'before' || from === 'after';
  return (
    <Labelled {...props}>
      <Box style={{ display: 'grid', gap: 8 }}>
        {isDistance && (
          <Box style={{ display: 'grid', gap: 8, gridTemplateColumns: '80px 1fr' }}>
            <Input aria-label="Distance" type="number" min={0} max={99_999} {...type('count')} />
            <ChoiceSelect
              id={`${path}.unit`}
              name="Unit"
              choices={choicesOf(UNITS)}
              value={unit}
              onChange={change('unit')}
            />
          </Box>
        )}
        <ChoiceSelect id={path} choices={choicesOf(FROM)} value={from} onChange={change('from')} />
        {from === 'date' && <Input aria-label="Date" {...dateInput} />}
      </Box>
    </Labelled>
  );
}
