import database from 'mime-db';

/** The type of unknown content. The tables below exclude it, because it shares extensions with unrelated formats. */
export const ANY_BYTES = 'application/octet-stream';

const EXTENSIONS = new Map<string, readonly string[]>();
const TYPES = new Map<string, string[]>();

// Registered types come first, because the first type of an extension is preferred.
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

/** Media types that files with the extension can have, the preferred type first. */
export function typesOf(extension: string): readonly string[] {
  return TYPES.get(extension) ?? [];
}

/**
 * Whether two media types are names for one format: some systems send `application/x-zip-compressed` for `application/zip`.
 * Such names share an extension in mime-db, or differ by the obsolete prefix `x-` (RFC 6648).
 */
export function isSameFormat(one: string, other: string): boolean {
  const extensions = extensionsOf(other);
  return (
    withoutPrefix(one) === withoutPrefix(other) || extensionsOf(one).some((it) => extensions.includes(it))
  );
}

/** Whether a media type says nothing about the content: `application/octet-stream`, or a type unknown to mime-db. */
export function isUninformative(type: string): boolean {
  return isOfKind(type, 'application') && !EXTENSIONS.has(type) && !EXTENSIONS.has(withoutPrefix(type));
}

const withoutPrefix = (type: string) => type.replace('/x-', '/');

/** Whether a media type is of a top-level type such as `image`. */
export const isOfKind = (type: string, kind: string) => type.startsWith(`${kind}/`);

/** Whether the name of a type shows that its files are text. */
export const isText = (type: string) => /^text\/|[+/](json|xml)$/.test(type);

/**
 * Whether a file that is uploaded as one type can have the type `named` of its extension. Some systems send the type of
 * the program that opens a file, such as `application/vnd.ms-excel` for CSV. No system sends an image as text.
 */
export function isCompatible(announced: string, named: string): boolean {
  const [kind = ''] = announced.split('/');
  return kind === 'application' || isOfKind(named, 'application') || isOfKind(named, kind);
}
