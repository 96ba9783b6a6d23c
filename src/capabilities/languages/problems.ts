import { fieldErrorIn } from '../../http/errors/problems.js';
import type { FieldErrorCatalogue } from '../../http/errors/problem-codes.js';

export const LANGUAGE_FIELD_ERRORS = { malformed_locale: [] } as const satisfies FieldErrorCatalogue;

export const malformedLocaleError = () =>
  fieldErrorIn(LANGUAGE_FIELD_ERRORS)(
    'malformed_locale',
    'The locale must be a language tag such as de or pt-BR, of at most 35 characters.',
  );
