import { Box, Input } from '@adminjs/design-system';
import type { EditPropertyProps } from 'adminjs';
import React, { type ChangeEvent } from 'react';
import { Labelled } from './labelled.tsx';
import { DATE_UNITS, type DateBound, textOfBound } from './relative-dates.js';
import { WordsSelect } from './words-select.tsx';

interface DateBoundInputProps extends EditPropertyProps {
  readonly bound: DateBound;
  /** False: only a date. */
  readonly hasToday: boolean;
}

const FROM_WORDS: Readonly<Record<DateBound['from'], string>> = {
  date: 'on a date',
  today: 'today',
  before: 'before today',
  after: 'after today',
};

/** Chooses a date, or a distance from today. */
export function DateBoundInput({ bound, hasToday, ...props }: DateBoundInputProps) {
  const { path } = props.property;
  const { from, date, count, unit } = bound;
  const change = (name: keyof DateBound) => ({
    onChange: ({ target }: ChangeEvent<HTMLInputElement | HTMLSelectElement>) =>
      props.onChange(path, textOfBound({ ...bound, [name]: target.value })),
  });
  const dateInput = {
    ...{ type: 'date', min: '0001-01-01', max: '9999-12-31', required: true, value: date },
    ...change('date'),
  };
  if (!hasToday)
    return (
      <Labelled {...props}>
        <Input id={path} width={1} {...dateInput} />
      </Labelled>
    );
  return (
    <Labelled {...props}>
      <Box flex flexDirection="row" flexWrap="wrap" style={{ gap: 8 }}>
        {(from === 'before' || from === 'after') && (
          <>
            <Input
              aria-label="Distance"
              style={{ width: 80 }}
              {...{ type: 'number', min: 0, max: 99_999, required: true, value: count }}
              {...change('count')}
            />
            <WordsSelect name="Unit" words={UNIT_WORDS} value={unit} {...change('unit')} />
          </>
        )}
        <WordsSelect id={path} words={FROM_WORDS} value={from} {...change('from')} />
        {from === 'date' && <Input aria-label="Date" {...dateInput} />}
      </Box>
    </Labelled>
  );
}

const UNIT_WORDS = Object.fromEntries(Object.entries(DATE_UNITS).map(([unit, word]) => [unit, `${word}s`]));
