import { createReadStream } from 'node:fs';
import type { DefinitionFile } from '../check-files.js';
import { DefinitionError, type Diagnostic } from '../definition-error.js';

const STANDARD_INPUT = '-';

/** Maximum size of a file, far more than any form needs. */
const MAX_MEBIBYTES = 32;

/** The heading above the errors that "forms import" and "forms lint" print. */
export const IMPORT_ERROR_HEADING = 'This cannot be imported';

/** @throws DefinitionError with the name of every unreadable file */
export async function readDefinitionFiles(names: readonly string[]): Promise<DefinitionFile[]> {
  const files: DefinitionFile[] = [];
  const mistakes: Diagnostic[] = [];
  for (const name of new Set(names)) {
    const file = name === STANDARD_INPUT ? 'standard input' : name;
    try {
      files.push({ name: file, text: decode(await read(name)) });
    } catch (error) {
      mistakes.push({ file, path: '', message: `cannot be read (${(error as Error).message})` });
    }
  }
  if (mistakes.length > 0) throw new DefinitionError(mistakes, IMPORT_ERROR_HEADING);
  return files;
}

async function read(name: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of name === STANDARD_INPUT ? process.stdin : createReadStream(name)) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    if (size > MAX_MEBIBYTES * 2 ** 20) throw new Error(`it is larger than ${MAX_MEBIBYTES} MiB`);
  }
  return Buffer.concat(chunks);
}

/** Removes a byte order mark, which some editors write. */
function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error('it is not text in UTF-8');
  }
}
