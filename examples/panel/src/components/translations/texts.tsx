import { Box, Button, H3, H4, Text } from '@adminjs/design-system';
import React, { type FormEvent, useEffect, useRef, useState } from 'react';
import { languageName } from '../languages.ts';
import { Failure } from '../publishing/failure.tsx';
import { useFormAction } from '../publishing/use-form-action.ts';
import { progressWords } from './progress-words.ts';
import { TextInput } from './text-input.tsx';
import type { Change, ChosenLanguage, TranslationsJson } from './translations-json.ts';

interface TextsProps {
  readonly formId: string;
  readonly translations: TranslationsJson;
  readonly chosen: ChosenLanguage;
  readonly isChanged: boolean;
  readonly setChanged: (isChanged: boolean) => void;
  readonly onSaved: () => Promise<void>;
  readonly onRemoved: () => Promise<void>;
}

/** The texts of a form in reading order, each with an input for its translation. The inputs keep their own values, because a form can have thousands. */
export function Texts({
  formId,
  translations,
  chosen,
  isChanged,
  setChanged,
  onSaved,
  onRemoved,
}: TextsProps) {
  const { own, total, languages } = translations;
  const { locale, groups } = chosen;
  const [onlyMissing, setOnlyMissing] = useState(false);
  const { act, isBusy, failure } = useFormAction(formId);
  const form = useRef<HTMLFormElement>(null);
  const texts = groups.flatMap((group) => group.texts);
  const name = languageName(locale);
  const saved = languages.find((language) => language.locale === locale);
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    if (isChanged) window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [isChanged]);

  const save = async (event: FormEvent) => {
    event.preventDefault();
    const inputs = [...(form.current?.querySelectorAll<HTMLTextAreaElement>('[name]') ?? [])];
    const changes = inputs.flatMap(({ name, value, defaultValue }): Change[] => {
      const { owner, key } = texts[Number(name)] ?? {};
      if (owner === undefined || key === undefined) return [];
      // The browser changes the ends of lines in its value.
      if (value === defaultValue.replace(/\r\n?/g, '\n')) return [];
      return [{ owner, key, text: value }];
    });
    // First, because the person can type on meanwhile.
    setChanged(false);
    if (changes.length === 0) return;
    if (await act('translations', { locale, changes })) await onSaved();
    else setChanged(true);
  };

  let index = 0;
  return (
    <Box as="section" aria-labelledby="language" data-testid="texts">
      <style>{STYLES}</style>
      <Box
        flex
        flexDirection="row"
        flexWrap="wrap"
        alignItems="center"
        mb="default"
        style={{ gap: '8px 24px' }}
      >
        <H3 as="h3" id="language" fontSize="h4" marginTop={0} marginBottom={0}>
          {name}
        </H3>
        <Text as="span">{progressWords(saved?.translated ?? 0, total)}</Text>
        <label className="only-missing">
          <input
            type="checkbox"
            checked={onlyMissing}
            onChange={({ target }) => setOnlyMissing(target.checked)}
          />{' '}
          <Text as="span">Only missing</Text>
        </label>
        {saved !== undefined && <Remove {...{ formId, locale, name, onRemoved }} />}
      </Box>
      <form
        ref={form}
        className="translations"
        onSubmit={(event) => void save(event)}
        onInput={() => setChanged(true)}
      >
        {groups.map((group, number) => (
          <Box
            as="section"
            key={number}
            className="text-group"
            aria-labelledby={`group-${number}`}
            hidden={onlyMissing && group.texts.every(({ translation }) => translation !== '')}
          >
            <H4 as="h4" id={`group-${number}`} fontSize="lg" mb="default" style={{ fontWeight: 600 }}>
              {group.title}
            </H4>
            {group.texts.map((text) => (
              <TextInput
                key={`${text.owner} ${text.key}`}
                name={index++}
                {...{ text, own, locale }}
                isHidden={onlyMissing && text.translation !== ''}
              />
            ))}
          </Box>
        ))}
        {onlyMissing && saved?.translated === total && <Text py="lg">No text is missing.</Text>}
        <Box bg="container" className="save-bar" borderTop="default">
          <Failure message={failure} />
          <Box flex flexDirection="row" flexWrap="wrap" alignItems="center" style={{ gap: 16 }}>
            <Button type="submit" variant="contained" disabled={isBusy}>
              Save
            </Button>
            <Text as="span" role="status">
              {isChanged ? 'Not saved yet.' : ''}
            </Text>
          </Box>
        </Box>
      </form>
    </Box>
  );
}

interface RemoveProps extends Pick<TextsProps, 'formId' | 'onRemoved'> {
  readonly locale: string;
  readonly name: string;
}

/** Asks once more, because the translations cannot be brought back. */
function Remove({ formId, locale, name, onRemoved }: RemoveProps) {
  const { act, isBusy, failure } = useFormAction(formId);
  const [isAsking, setAsking] = useState(false);
  const remove = async () => {
    if (await act('removeLanguage', { locale })) await onRemoved();
  };
  if (!isAsking)
    return (
      <Button variant="outlined" onClick={() => setAsking(true)}>
        Remove this language
      </Button>
    );
  return (
    <>
      <Failure message={failure} />
      <Button variant="danger" autoFocus disabled={isBusy} onClick={() => void remove()}>
        Delete all translations into {name} for good
      </Button>
      <Button variant="outlined" onClick={() => setAsking(false)}>
        Keep them
      </Button>
    </>
  );
}

const STYLES = `
  .only-missing { display: inline-flex; align-items: center; gap: 8px; min-height: 32px; }
  .text-group { content-visibility: auto; contain-intrinsic-size: auto 400px; padding-top: 24px; }
  .translations [hidden] { display: none; }
  .text-row { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(320px, 100%), 1fr)); gap: 4px 32px; padding: 8px 0; }
  .text-row label { overflow-wrap: anywhere; }
  .text-row .source { white-space: pre-wrap; }
  .text-row label > * { display: block; }
  .save-bar { position: sticky; bottom: 0; z-index: 1; margin-top: 24px; padding: 16px 0; }
`;
