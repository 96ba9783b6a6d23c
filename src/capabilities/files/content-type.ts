import type { Readable } from 'node:stream';
import { fileTypeFromStream, supportedExtensions, supportedMimeTypes } from 'file-type/node';
import {
  ANY_BYTES,
  extensionsOf,
  isOfKind,
  isSameFormat,
  isText,
  isCompatible,
  isUninformative,
  typesOf,
} from './media-types.js';
import { sharedTypes, typesSharedWith } from './shared-formats.js';

/** The format that the content of a file proves, or undefined if it proves no format, as with plain text. */
export type ContentType = { readonly ext: string; readonly mime: string } | undefined;

export interface AnnouncedFile {
  readonly name: string;
  readonly media_type: string;
}

const XML = 'application/xml';
/** Microsoft's compound file: old Office documents, messages of Outlook, and all Office documents with a password. */
const COMPOUND_FILE = 'application/x-cfb';
const OFFICE = /^application\/vnd\.(openxmlformats-officedocument\.|ms-(word|excel|powerpoint)\.)/;

/** Container formats. Many types of files share a container, so detecting the container does not prove the type. */
const CONTAINERS: ReadonlySet<string> = new Set([COMPOUND_FILE, XML, 'application/zip']);

// The content of these types always proves the type. XML is excluded, because an XML file may lack its declaration.
const DETECTABLE_TYPES: ReadonlySet<string> = new Set(
  [...supportedMimeTypes].flatMap((type) => sharedTypes(plain(type))).filter((type) => type !== XML),
);
const DETECTABLE_EXTENSIONS: ReadonlySet<string> = new Set(
  [...supportedExtensions].filter((extension) => extension !== 'xml'),
);

/** Detects the format of a content. Reads only the bytes that the detection needs, then destroys the stream. */
export async function contentTypeOf(content: Readable): Promise<ContentType> {
  try {
    const found = await fileTypeFromStream(content);
    // The library takes the byte order mark of UTF-16 text for MPEG layer I audio, which is obsolete.
    if (found === undefined || found.ext === 'mp1') return undefined;
    return { ext: found.ext, mime: plain(found.mime) };
  } finally {
    content.destroy();
  }
}

/** Removes parameters, as in `audio/ogg; codecs=opus`. The library has a few types with capital letters. */
function plain(type: string): string {
  return type.replace(/;.*/, '').toLowerCase();
}

/**
 * U5: whether a field could accept an upload with this name and type. `accept` has the syntax of the HTML attribute.
 * The commit checks the content, so this function rejects only files that no content could make acceptable.
 */
export function isAnnouncedAsAccepted(accept: string | null, file: AnnouncedFile): boolean {
  const types = announcedTypes(file).flatMap(typesSharedWith);
  return tokensOf(accept).some((token) => {
    if (token.startsWith('.')) return hasExtension(file, token.slice(1));
    return (
      types.some((type) => isOf(type, token)) || (isUninformative(file.media_type) && isDetectable(token))
    );
  });
}

/**
 * U5: returns the media type of a file, or undefined if the field does not accept the file. Uses the type of the upload
 * only if the content does not prove a type.
 */
export function acceptedType(
  accept: string | null,
  file: AnnouncedFile,
  found: ContentType,
): string | undefined {
  const types = possibleTypes(file, found);
  const tokens = tokensOf(accept);
  const accepted = types.find((type) => tokens.some((token) => isOf(type, token)));
  if (accepted !== undefined) return accepted;
  const isAccepted = tokens.some(
    (token) => isDetectedAs(token, found) || isNamedAndPossible(token, file, found),
  );
  return isAccepted ? types[0] : undefined;
}

const tokensOf = (accept: string | null) => (accept ?? '*/*').split(',').map((token) => token.trim());

function isOf(type: string, token: string): boolean {
  if (token === '*/*') return true;
  return token.endsWith('/*') ? isOfKind(type, token.slice(0, -2)) : isSameFormat(type, token);
}

/** Compares the extension of the detected format, because mime-db does not have every name of a detected type. */
const isDetectedAs = (token: string, found: ContentType) =>
  found !== undefined && extensionsOf(token).includes(found.ext);

const extensionOf = (name: string) => /\.([^.]+)$/.exec(name.toLowerCase())?.[1] ?? '';

const hasExtension = ({ name }: AnnouncedFile, extension: string) =>
  name.toLowerCase().endsWith(`.${extension}`);

/** Returns the types that the name and type of an upload may mean, likeliest first. */
function announcedTypes({ name, media_type: type }: AnnouncedFile): string[] {
  const extension = extensionOf(name);
  const named = typesOf(extension).filter((one) => isCompatible(type, one));
  if (isUninformative(type)) return type === ANY_BYTES ? named : [...named, type];
  const isTypeOfProgram = named.length > 0 && !isText(type) && !extensionsOf(type).includes(extension);
  return isTypeOfProgram ? [...named, type] : [type, ...named];
}

/** Returns the types that the file can have, likeliest first. */
function possibleTypes(file: AnnouncedFile, found: ContentType): string[] {
  if (found !== undefined && !CONTAINERS.has(found.mime)) {
    const shared = sharedTypes(found.mime);
    return [...announcedTypes(file).filter((type) => shared.includes(type)), ...shared];
  }
  const extension = extensionOf(file.name);
  const content = found?.mime ?? ANY_BYTES;
  const announced = announcedTypes(file).filter(
    (type) => !isSameFormat(type, content) && isPossible(type, extension, found),
  );
  return [...announced, content];
}

/** Whether `token` is the extension of the file, and the content can be of a type with this extension. */
function isNamedAndPossible(token: string, file: AnnouncedFile, found: ContentType): boolean {
  const extension = token.slice(1);
  if (!token.startsWith('.') || !hasExtension(file, extension)) return false;
  if (found?.ext === extension) return true;
  const types = typesOf(extension);
  if (found !== undefined && !CONTAINERS.has(found.mime))
    return types.some(
      (type) => sharedTypes(found.mime).includes(type) || extensionsOf(type).includes(found.ext),
    );
  if (types.length === 0) return !DETECTABLE_EXTENSIONS.has(extension);
  return types.some((type) => isPossible(type, extension, found));
}

/** Whether content can be of a type if nothing, or only a container, was detected in it. */
function isPossible(type: string, extension: string, found: ContentType): boolean {
  if (found === undefined) return !isDetectable(type);
  if (found.mime === COMPOUND_FILE && OFFICE.test(type)) return true;
  const canBeInContainer = found.mime === XML ? isText(type) : /^model\/|\+zip$/.test(type);
  if (!canBeInContainer && (!isOfKind(type, 'application') || isText(type))) return false;
  return extensionsOf(type).includes(extension) ? !DETECTABLE_EXTENSIONS.has(extension) : !isDetectable(type);
}

/** Whether the content of a type, or of a kind of types such as `image/*`, always proves the type. */
function isDetectable(type: string): boolean {
  return (
    extensionsOf(type).some((extension) => DETECTABLE_EXTENSIONS.has(extension)) ||
    [...DETECTABLE_TYPES].some((one) => isOf(one, type))
  );
}
