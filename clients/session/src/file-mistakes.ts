import type { Field, FormtrailError, Mistake } from 'formtrail-client';
import { mistakesOf } from './mistakes.js';

/** A `File` from an `<input>`, or any `Blob` with a name. */
export type NamedFile = Blob & { readonly name: string };

/** Maximum size of a file if its field has no `max_bytes` (U5). */
const MAX_BYTES = 25 * 1024 * 1024;

const KINDS: Readonly<Record<string, string>> = {
  'image/*': 'an image',
  'audio/*': 'an audio file',
  'video/*': 'a video',
};

const kindOf = (type: string): string => KINDS[type] ?? `of the type ${type}`;

/** Checks a file against its field in the schema, as the service does, before anything is sent. */
export function mistakeOfFile(key: string, field: Field, file: NamedFile): Mistake | undefined {
  const { max_bytes, accept } = field;
  const { size } = file;
  const max = max_bytes ?? MAX_BYTES;
  if (size > max) {
    const detail = `The file must have at most ${max} bytes, but has ${size}.`;
    return { field: key, code: 'too_large', params: { max, size }, detail };
  }
  const types = accept?.split(',').map((token) => token.trim()) ?? [];
  if (accept === null || types.some((type) => isOf(type, file))) return undefined;
  const detail = `The file must be ${types.map(kindOf).join(' or ')}.`;
  return { field: key, code: 'type_mismatch', params: { accept }, detail };
}

/** Media type in the form that the service accepts: without parameters, and never empty. */
export function mediaTypeOf({ type }: Blob): string {
  return /^[^;\s]+\/[^;\s]+/.exec(type.toLowerCase())?.[0] ?? 'application/octet-stream';
}

/** The field error of an upload that failed permanently. */
export function mistakeOfUpload(key: string, error: unknown): Mistake {
  const [mistake] = mistakesOf(error);
  const { message } = error as FormtrailError;
  return { ...(mistake ?? { code: 'not_uploaded', params: {}, detail: message }), field: key };
}

/**
 * Whether the file may match a token of the `accept` attribute of HTML. The check is lenient, because the service decides by the
 * content: operating systems report `application/…` for formats that they do not know, and have several names for one format.
 * They report `video/…` for sounds too, because WebM, MP4 and 3GP hold both.
 */
function isOf(token: string, file: NamedFile): boolean {
  if (token.startsWith('.')) return file.name.toLowerCase().endsWith(token);
  const [kind = ''] = mediaTypeOf(file).split('/');
  const [wanted] = token.split('/');
  return (
    kind === 'application' ||
    kind === wanted ||
    (kind === 'text' && wanted === 'application') ||
    [kind, wanted].every((one) => one === 'audio' || one === 'video')
  );
}
