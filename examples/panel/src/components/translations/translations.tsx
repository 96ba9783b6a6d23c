import { Loader } from '@adminjs/design-system';
import type { ActionProps } from 'adminjs';
import React, { useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router-dom';
import { Failure } from '../publishing/failure.tsx';
import { Page } from '../publishing/page.tsx';
import { useActionData } from '../publishing/use-form-action.ts';
import { Languages } from './languages.tsx';
import { Texts } from './texts.tsx';
import type { TranslationsJson } from './translations-json.ts';

/** The languages of a form, and its texts beside their translations into one of them. The address names the language. */
export default function Translations({ record }: ActionProps) {
  const id = record?.id ?? '';
  const [search] = useSearchParams();
  const navigate = useNavigate();
  const [isChanged, setChanged] = useState(false);
  const query = search.has('locale') ? `?${new URLSearchParams({ locale: search.get('locale') ?? '' })}` : '';
  const { data, failure, reload } = useActionData<TranslationsJson>(
    id,
    'translations',
    'translations',
    query,
  );
  if (data === undefined) return failure === '' ? <Loader /> : <Failure message={failure} />;
  const { chosen } = data;
  const open = (locale: string) => {
    if (isChanged && !window.confirm('Open another language without saving your translations?')) return;
    setChanged(false);
    navigate({ search: new URLSearchParams({ locale }).toString() });
  };
  return (
    <Page width={1120}>
      <Failure message={failure} />
      <Languages formId={id} translations={data} onOpen={open} />
      {chosen !== null && (
        <Texts
          key={chosen.locale}
          {...{ formId: id, translations: data, chosen, isChanged, setChanged }}
          onSaved={reload}
          onRemoved={async () => {
            setChanged(false);
            navigate({ search: '' });
            await reload();
          }}
        />
      )}
    </Page>
  );
}
