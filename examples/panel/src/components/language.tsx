import { FormGroup, FormMessage } from '@adminjs/design-system';
import { type EditPropertyProps, PropertyLabel } from 'adminjs';
import React, { type ChangeEvent } from 'react';
import { LanguageInput } from './language-input.tsx';
import { languageName, localeOf } from './languages.ts';

/** Edits the language of the texts of a form. */
export default function Language({ property, record, onChange }: EditPropertyProps) {
  const { path } = property;
  const value = String(record.params[path] ?? '');
  const error = record.errors[path];
  const locale = localeOf(value);
  return (
    <FormGroup error={Boolean(error)} data-testid={`property-edit-${path}`}>
      <PropertyLabel property={property} />
      <LanguageInput
        id={path}
        name={path}
        aria-describedby={`${path}-message`}
        aria-invalid={Boolean(error)}
        value={value}
        onChange={({ target }: ChangeEvent<HTMLInputElement>) => onChange(path, target.value)}
      />
      <FormMessage id={`${path}-message`}>{error?.message ?? (locale && languageName(locale))}</FormMessage>
    </FormGroup>
  );
}
