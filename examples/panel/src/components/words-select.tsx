import { Input } from '@adminjs/design-system';
import React, { type ChangeEvent } from 'react';

interface WordsSelectProps {
  readonly id?: string;
  /** Its name for screen readers, if no label has its id. */
  readonly name?: string;
  /** The words for each value. */
  readonly words: Readonly<Record<string, string>>;
  readonly value: string;
  readonly onChange: (event: ChangeEvent<HTMLSelectElement>) => void;
}

/** Selects one of a few words. */
export function WordsSelect({ id, name, words, value, onChange }: WordsSelectProps) {
  return (
    <Input as="select" id={id} aria-label={name} value={value} onChange={onChange}>
      {Object.entries(words).map(([one, text]) => (
        <option key={one} value={one}>
          {text}
        </option>
      ))}
    </Input>
  );
}
