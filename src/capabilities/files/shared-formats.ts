/** A sound and a film look the same in these formats: only the tracks differ, which may be anywhere in the file. */
const ASF = [
  'video/x-ms-asf',
  'video/x-ms-wmv',
  'audio/x-ms-asf',
  'audio/x-ms-wma',
  'application/vnd.ms-asf',
];

/** The media types that content can have, by the type that was detected in it. */
const SHARED = new Map<string, readonly string[]>([
  ['video/webm', ['video/webm', 'audio/webm']],
  ['video/matroska', ['video/matroska', 'video/x-matroska', 'audio/matroska', 'audio/x-matroska']],
  // A brand of its own proves that a file is a sound (M4A) or a film (M4V). All other brands are shared.
  ['video/mp4', ['video/mp4', 'audio/mp4', 'audio/x-m4a', 'video/x-m4v']],
  ['video/x-m4v', ['video/x-m4v', 'video/mp4']],
  ['video/3gpp', ['video/3gpp', 'audio/3gpp']],
  ['video/3gpp2', ['video/3gpp2', 'audio/3gpp2']],
  // The first stream proves a sound or a film, unless it only describes the others.
  ['application/ogg', ['application/ogg', 'audio/ogg', 'video/ogg']],
  // The first stream of a film may be its sound.
  ['video/x-ms-asf', ASF],
  ['audio/x-ms-asf', ['audio/x-ms-asf', 'audio/x-ms-wma', ...ASF]],
  ['application/vnd.ms-asf', ['application/vnd.ms-asf', ...ASF]],
  // HEIC is HEIF with a certain codec. A file of the general brand may use any codec.
  ['image/heic', ['image/heic', 'image/heif']],
  ['image/heif', ['image/heif', 'image/heic', 'image/avif']],
  ['image/heic-sequence', ['image/heic-sequence', 'image/heif-sequence', 'image/heic', 'image/heif']],
  ['image/heif-sequence', ['image/heif-sequence', 'image/heic-sequence', 'image/heif', 'image/heic']],
]);

/** Returns the types that content of a detected type can have, likeliest first. Most formats have one type. */
export const sharedTypes = (detected: string): readonly string[] => SHARED.get(detected) ?? [detected];

/** Returns the type, and all types that content of this type can have instead. */
export function typesSharedWith(type: string): readonly string[] {
  const groups = [...SHARED.values()].filter((types) => types.includes(type));
  return [type, ...groups.flat()];
}
