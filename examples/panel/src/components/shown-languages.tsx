import { type BasePropertyProps, flat, type RecordJSON } from 'adminjs';
import React from 'react';
import { languageName } from './languages.ts';

/** The languages of a form in its list: its own first. */
export default function ShownLanguages({ record }: BasePropertyProps) {
  return (
    <span>
      {languagesIn(record?.params ?? {})
        .map(languageName)
        .join(', ')}
    </span>
  );
}

/** The languages of the texts of a form: its own first, if it says which. */
export function languagesIn(params: RecordJSON['params']): string[] {
  const own = params['locale'] as string | null | undefined;
  const others = flat.get(params, 'locales') as readonly string[] | undefined;
  return [...(own ? [own] : []), ...(others ?? [])];
}
