import { createReadStream } from 'node:fs';

/** The name of a file that stands for standard input. */
export const STANDARD_INPUT = '-';

/**
 * Reads a text file, without a byte order mark, which some editors write.
 *
 * @throws Error that says why the file cannot be read
 */
export async function readText(name: string, maxMebibytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of name === STANDARD_INPUT ? process.stdin : createReadStream(name)) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    if (size > maxMebibytes * 2 ** 20) throw new Error(`it is larger than ${maxMebibytes} MiB`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new Error('it is not text in UTF-8');
  }
}
