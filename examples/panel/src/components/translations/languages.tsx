import { Box, Button, H3, Label, Link as PlainLink, Text } from '@adminjs/design-system';
import React, { type ChangeEvent, type FormEvent, type MouseEvent, useState } from 'react';
import { Link } from 'react-router-dom';
import { LanguageInput } from '../language-input.tsx';
import { languageName, localeOf, NOT_A_LANGUAGE } from '../languages.ts';
import { progressWords } from './progress-words.ts';
import type { TranslationsJson } from './translations-json.ts';

interface LanguagesProps {
  readonly formId: string;
  readonly translations: TranslationsJson;
  readonly onOpen: (locale: string) => void;
}

/** The languages of a form, each with its progress and a link, and an input for another language. */
export function Languages({ formId, translations, onOpen }: LanguagesProps) {
  const { own, languages, total, chosen } = translations;
  return (
    <Box as="section" aria-labelledby="languages" mb="xl">
      <H3 as="h3" id="languages" fontSize="h4" mt={0}>
        Languages
      </H3>
      <Text mb="default">
        {own === null
          ? 'The form does not say the language of its own texts. '
          : `The texts of the form itself are in ${languageName(own)}. `}
        <Link style={{ color: 'inherit' }} to={`/admin/resources/forms/records/${formId}/edit`}>
          {own === null ? 'Choose it in Settings' : 'Change this in Settings'}
        </Link>
        .
      </Text>
      {languages.length > 0 && (
        <Box as="ul" role="list" m="0" mb="lg" p="0" style={{ listStyle: 'none' }}>
          {languages.map(({ locale, translated }) => (
            <Box
              as="li"
              key={locale}
              flex
              flexDirection="row"
              flexWrap="wrap"
              alignItems="baseline"
              py="sm"
              style={{ gap: '0 16px' }}
            >
              <PlainLink
                href={`?locale=${locale}`}
                style={{ minWidth: 200 }}
                {...(chosen?.locale === locale && { 'aria-current': 'page' as const })}
                onClick={(event: MouseEvent) => {
                  event.preventDefault();
                  onOpen(locale);
                }}
              >
                {languageName(locale)}
              </PlainLink>
              <Text as="span">{progressWords(translated, total)}</Text>
            </Box>
          ))}
        </Box>
      )}
      <AddLanguage own={own} onOpen={onOpen} />
    </Box>
  );
}

/** The language is stored with its first translation. */
function AddLanguage({ own, onOpen }: Pick<LanguagesProps, 'onOpen'> & Pick<TranslationsJson, 'own'>) {
  const [text, setText] = useState('');
  const [error, setError] = useState('');
  const add = (event: FormEvent) => {
    event.preventDefault();
    const locale = localeOf(text);
    if (locale === undefined) setError(NOT_A_LANGUAGE);
    else if (locale === own)
      setError(
        `The texts of the form are in ${languageName(own)} already. Change them on the page of the form, or choose another language.`,
      );
    else {
      setText('');
      setError('');
      onOpen(locale);
    }
  };
  return (
    <form noValidate onSubmit={add}>
      <Label htmlFor="new-language">Add a language</Label>
      <Box flex flexDirection="row" flexWrap="wrap" style={{ gap: 8 }}>
        <LanguageInput
          id="new-language"
          placeholder="de"
          aria-describedby="new-language-error"
          aria-invalid={error !== ''}
          value={text}
          onChange={({ target }: ChangeEvent<HTMLInputElement>) => setText(target.value)}
        />
        <Button type="submit" variant="outlined">
          Add
        </Button>
      </Box>
      <Text id="new-language-error" role="alert" color="error" mt="sm">
        {error}
      </Text>
    </form>
  );
}
