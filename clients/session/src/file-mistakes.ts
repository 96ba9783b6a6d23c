import type { Field, FormtrailError, Mistake } from 'formtrail-client';
import { mistakesOf } from './mistakes.js';

/** What an input of a page gives; any {@link Blob} with a name will do. */
export type NamedFile = Blob & { readonly name: string };

/** Of a file whose field says nothing (U5). */
const MOST_BYTES = 25 * 1024 * 1024;

/** What the service would find wrong with it by what the schema says of the field, before anything is sent. */
export function mistakeOfFile(key: string, field: Field, file: NamedFile): Mistake | undefined {
  const { max_bytes, accept } = field;
  const { size } = file;
  const max = max_bytes ?? MOST_BYTES;
  if (size > max) {
    const detail = `The file must have at most ${max} bytes, but has ${size}.`;
    return { field: key, code: 'too_large', params: { max, size }, detail };
  }
  if (accept === null || accept.split(',').some((token) => isOf(token.trim(), file))) return undefined;
  return { field: key, code: 'type_mismatch', params: { accept }, detail: `The file must be ${accept}.` };
}

/** As the service takes them: without parameters, and something in any case. */
export function mediaTypeOf({ type }: Blob): string {
  return /^[^;\s]+\/[^;\s]+/.exec(type.toLowerCase())?.[0] ?? 'application/octet-stream';
}

/** What has to be corrected, where the upload cannot succeed as it is. */
export function mistakeOfUpload(key: string, error: unknown): Mistake {
  const [mistake] = mistakesOf(error);
  const { message } = error as FormtrailError;
  return { ...(mistake ?? { code: 'not_uploaded', params: {}, detail: message }), field: key };
}

/**
 * Whether the service may find it to be what HTML's attribute `accept` says. Its content decides there. Systems announce
 * `application/…` for what they do not know, and have several names for one format.
 */
function isOf(token: string, file: NamedFile): boolean {
  if (token.startsWith('.')) return file.name.toLowerCase().endsWith(token);
  const [kind = ''] = mediaTypeOf(file).split('/');
  const [wanted] = token.split('/');
  return kind === 'application' || kind === wanted || (kind === 'text' && wanted === 'application');
}
