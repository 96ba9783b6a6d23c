import type { Readable } from 'node:stream';
import { fileTypeFromStream, supportedExtensions, supportedMimeTypes } from 'file-type/node';

/** What bytes turn out to be; undefined: nothing that can be told by bytes, such as plain text. */
export type ContentType = { readonly ext: string; readonly mime: string } | undefined;

/** Formats that others are made of, so that to find one says little. */
const CONTAINERS: ReadonlySet<string> = new Set(['application/x-cfb', 'application/xml', 'application/zip']);

const SAME_EXTENSION: Readonly<Record<string, string>> = {
  jpeg: 'jpg',
  tiff: 'tif',
  midi: 'mid',
  mpeg: 'mpg',
};

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

/** The media type by the content, and by what the client says only where content cannot tell. */
export function mediaTypeOf(declared: string, found: ContentType): string {
  if (isPossible(declared, found?.mime, found, supportedMimeTypes)) return declared;
  return found?.mime ?? 'application/octet-stream';
}

interface Named {
  readonly name: string;
  readonly media_type: string;
}

/**
 * U5: whether a field that accepts these, as HTML's `accept` has it, takes a file of the name and media type, by what its
 * content was found to be. An extension counts only where the content is of it.
 */
export function isAccepted(accept: string | null, { name, media_type }: Named, found: ContentType): boolean {
  return isOneOf(accept, mediaTypeOf(media_type, found), (extension) => hasExtension(name, extension, found));
}

/** The same as long as there is no content. */
export function isAnnouncedAsAccepted(accept: string | null, { name, media_type }: Named): boolean {
  return isOneOf(accept, media_type.toLowerCase(), (extension) => isNamed(name, extension));
}

function isOneOf(accept: string | null, type: string, hasExtension: (extension: string) => boolean): boolean {
  if (accept === null) return true;
  return accept.split(',').some((text) => {
    const token = text.trim();
    if (token.startsWith('.')) return hasExtension(token.slice(1));
    return token.endsWith('/*') ? type.startsWith(token.slice(0, -1)) : type === token;
  });
}

const isNamed = (name: string, extension: string) => name.toLowerCase().endsWith(`.${extension}`);

function hasExtension(name: string, extension: string, found: ContentType): boolean {
  if (!isNamed(name, extension)) return false;
  return isPossible(sameExtension(extension), found && sameExtension(found.ext), found, supportedExtensions);
}

const sameExtension = (extension: string) => SAME_EXTENSION[extension] ?? extension;

/** What could be told by bytes has to be found; anything else is possible where they say nothing else. */
function isPossible(
  declared: string,
  actual: string | undefined,
  found: ContentType,
  recognised: ReadonlySet<string>,
): boolean {
  if (declared === actual) return true;
  return !recognised.has(declared) && (found === undefined || CONTAINERS.has(found.mime));
}
