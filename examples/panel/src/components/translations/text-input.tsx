import { Input, Text } from '@adminjs/design-system';
import React, { memo } from 'react';
import { textIn } from '../languages.ts';
import type { TranslatedText } from './translations-json.ts';

interface TextInputProps {
  readonly name: number;
  readonly text: TranslatedText;
  /** The language of the source. Null: not said. */
  readonly own: string | null;
  readonly locale: string;
  readonly isHidden: boolean;
}

/** Longer texts get several lines. */
const ONE_LINE = 60;

/** A text of a form beside an input for its translation. */
export const TextInput = memo(function TextInput({ name, text, own, locale, isHidden }: TextInputProps) {
  const { caption, source, translation } = text;
  const id = `text-${name}`;
  const longest = Math.max(source.length, translation.length);
  const lines = Math.max(
    Math.ceil(longest / ONE_LINE),
    source.split('\n').length,
    translation.split('\n').length,
  );
  return (
    <div className="text-row" hidden={isHidden}>
      <label htmlFor={id}>
        <Text as="span" color="grey60" fontSize="sm">
          {caption}
        </Text>{' '}
        <Text as="span" className="source" {...textIn(own)}>
          {source}
        </Text>
      </label>
      <Input
        id={id}
        name={String(name)}
        width={1}
        {...textIn(locale)}
        {...(lines > 1 && { as: 'textarea', rows: Math.min(lines + 1, 12) })}
        defaultValue={translation}
      />
    </div>
  );
});
