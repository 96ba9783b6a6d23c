import database from 'mime-db';

/** Means "some bytes", so that it shares its extensions with every format there is. */
export const ANY_BYTES = 'application/octet-stream';

const EXTENSIONS = new Map<string, readonly string[]>();
const TYPES = new Map<string, string[]>();

// Registered types come first: they are the ones to store.
const isRegistered = ([, { source }]: [string, { readonly source?: string | undefined }]) =>
  source === 'iana';
const entries = Object.entries(database).filter(([type]) => type !== ANY_BYTES);
for (const [type, { extensions = [] }] of [
  ...entries.filter(isRegistered),
  ...entries.filter((entry) => !isRegistered(entry)),
]) {
  EXTENSIONS.set(type, extensions);
  for (const extension of extensions) TYPES.set(extension, [...typesOf(extension), type]);
}

/** Extensions of a media type, without the dot. */
export function extensionsOf(type: string): readonly string[] {
  return EXTENSIONS.get(type) ?? [];
}

/** Media types that files with the extension can have; the one to prefer first. */
export function typesOf(extension: string): readonly string[] {
  return TYPES.get(extension) ?? [];
}

/**
 * Whether two media types are names for one format: systems announce `application/x-zip-compressed` for `application/zip`.
 * Two names share an extension in mime-db, or differ by the obsolete prefix `x-` (RFC 6648).
 */
export function isSameFormat(one: string, other: string): boolean {
  const extensions = extensionsOf(other);
  return (
    withoutPrefix(one) === withoutPrefix(other) || extensionsOf(one).some((it) => extensions.includes(it))
  );
}

/** Whether a media type tells nothing of the content: `application/octet-stream`, none, or a program's own. */
export function saysNothing(type: string): boolean {
  return isOfKind(type, 'application') && !EXTENSIONS.has(type) && !EXTENSIONS.has(withoutPrefix(type));
}

const withoutPrefix = (type: string) => type.replace('/x-', '/');

/** Whether a media type begins with this, such as `image`. */
export const isOfKind = (type: string, kind: string) => type.startsWith(`${kind}/`);

/** Whether files of the type are text, as far as the name of the type tells. */
export const isText = (type: string) => /^text\/|[+/](json|xml)$/.test(type);

/**
 * Whether a file that is announced as the one type can be of the other, which its name says. Systems announce the type of the
 * program that opens a file, such as `application/vnd.ms-excel` for CSV. Nothing announces a picture as a text.
 */
export function mayBeMeantBy(announced: string, named: string): boolean {
  const [kind = ''] = announced.split('/');
  return kind === 'application' || isOfKind(named, 'application') || isOfKind(named, kind);
}
