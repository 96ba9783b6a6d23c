import { Input } from '@adminjs/design-system';
import React, { type InputHTMLAttributes } from 'react';
import { COMMON_LANGUAGES, languageName } from './languages.ts';

interface LanguageInputProps extends InputHTMLAttributes<HTMLInputElement> {
  readonly id: string;
}

/** An input for a language tag, which proposes common languages with their names. */
export function LanguageInput({ id, ...props }: LanguageInputProps) {
  return (
    <>
      <Input
        id={id}
        list={`${id}-languages`}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        {...props}
      />
      <datalist id={`${id}-languages`}>
        {COMMON_LANGUAGES.map((locale) => (
          <option key={locale} value={locale}>
            {languageName(locale)}
          </option>
        ))}
      </datalist>
    </>
  );
}
