import type { Readable } from 'node:stream';
import { fileTypeFromStream, supportedExtensions, supportedMimeTypes } from 'file-type/node';
import {
  ANY_BYTES,
  extensionsOf,
  isOfKind,
  isSameFormat,
  isText,
  mayBeMeantBy,
  saysNothing,
  typesOf,
} from './media-types.js';

/** What bytes turn out to be; undefined: nothing that can be told by bytes, such as plain text. */
export type ContentType = { readonly ext: string; readonly mime: string } | undefined;

/** A client's description of a file. */
export interface Announced {
  readonly name: string;
  readonly media_type: string;
}

const XML = 'application/xml';

/** Formats that others are made of, so that to find one says little. */
const CONTAINERS: ReadonlySet<string> = new Set(['application/x-cfb', XML, 'application/zip']);

// A format that bytes can prove must be found in them. XML may begin without its declaration.
const FOUND_TYPES: ReadonlySet<string> = new Set([...supportedMimeTypes].filter((type) => type !== XML));
const FOUND_EXTENSIONS: ReadonlySet<string> = new Set(
  [...supportedExtensions].filter((extension) => extension !== 'xml'),
);

/** Reads as little of the content as it takes. */
export async function contentTypeOf(content: Readable): Promise<ContentType> {
  try {
    const found = await fileTypeFromStream(content);
    // The mark with which text in UTF-16 begins is taken for MPEG audio of layer I, which nobody has any more.
    return found?.ext === 'mp1' ? undefined : found;
  } finally {
    content.destroy();
  }
}

/**
 * U5: whether some content could make a field accept a file that is announced like this. `accept` is as in HTML.
 * The content decides at commit, so that only what it could never be is refused.
 */
export function isAnnouncedAsAccepted(accept: string | null, file: Announced): boolean {
  const types = announcedTypes(file);
  return tokensOf(accept).some((token) => {
    if (token.startsWith('.')) return hasExtension(file, token.slice(1));
    return (
      types.some((type) => isOf(type, token)) || (saysNothing(file.media_type) && isFoundByContent(token))
    );
  });
}

/**
 * U5: the media type of a file by its content, and by its announcement only where content cannot tell. Undefined: it is
 * nothing that the field accepts.
 */
export function acceptedType(accept: string | null, file: Announced, found: ContentType): string | undefined {
  const types = possibleTypes(file, found);
  const tokens = tokensOf(accept);
  const accepted = types.find((type) => tokens.some((token) => isOf(type, token) || isFoundAs(token, found)));
  return accepted ?? (tokens.some((token) => isNamedAndPossible(token, file, found)) ? types[0] : undefined);
}

const tokensOf = (accept: string | null) => (accept ?? '*/*').split(',').map((token) => token.trim());

function isOf(type: string, token: string): boolean {
  if (token === '*/*') return true;
  return token.endsWith('/*') ? isOfKind(type, token.slice(0, -2)) : isSameFormat(type, token);
}

/** Also by another name of what was found, which mime-db does not have. */
const isFoundAs = (token: string, found: ContentType) =>
  found !== undefined && extensionsOf(token).includes(found.ext);

const extensionOf = (name: string) => /\.([^.]+)$/.exec(name.toLowerCase())?.[1] ?? '';

const hasExtension = ({ name }: Announced, extension: string) => name.toLowerCase().endsWith(`.${extension}`);

/** What the announcement says the file is, the likeliest first. */
function announcedTypes({ name, media_type: type }: Announced): string[] {
  const extension = extensionOf(name);
  const named = typesOf(extension).filter((one) => mayBeMeantBy(type, one));
  if (saysNothing(type)) return type === ANY_BYTES ? named : [...named, type];
  const isOpenedBy = named.length > 0 && !isText(type) && !extensionsOf(type).includes(extension);
  return isOpenedBy ? [...named, type] : [type, ...named];
}

/** What the file can be, the likeliest first. */
function possibleTypes(file: Announced, found: ContentType): string[] {
  if (found !== undefined && !CONTAINERS.has(found.mime)) return [found.mime];
  const extension = extensionOf(file.name);
  const content = found?.mime ?? ANY_BYTES;
  const announced = announcedTypes(file).filter(
    (type) => !isSameFormat(type, content) && isPossible(type, extension, found),
  );
  return [...announced, content];
}

/** For an extension in `accept`: it counts only where the content can be of it. */
function isNamedAndPossible(token: string, file: Announced, found: ContentType): boolean {
  const extension = token.slice(1);
  if (!token.startsWith('.') || !hasExtension(file, extension)) return false;
  if (found?.ext === extension) return true;
  const types = typesOf(extension);
  if (found !== undefined && !CONTAINERS.has(found.mime))
    return types.some((type) => type === found.mime || extensionsOf(type).includes(found.ext));
  if (types.length === 0) return !FOUND_EXTENSIONS.has(extension);
  return types.some((type) => isPossible(type, extension, found));
}

/** Whether content in which nothing, or only a container, was found can be of a type. */
function isPossible(type: string, extension: string, found: ContentType): boolean {
  if (found === undefined) return !isFoundByContent(type);
  const holds = found.mime === XML ? isText(type) : /^model\/|\+zip$/.test(type);
  if (!holds && (!isOfKind(type, 'application') || isText(type))) return false;
  return extensionsOf(type).includes(extension) ? !FOUND_EXTENSIONS.has(extension) : !isFoundByContent(type);
}

/** Whether content is always found out to be of a type, or of one of a kind such as `image/*`. */
function isFoundByContent(type: string): boolean {
  return (
    extensionsOf(type).some((extension) => FOUND_EXTENSIONS.has(extension)) ||
    [...FOUND_TYPES].some((one) => isOf(one, type))
  );
}
