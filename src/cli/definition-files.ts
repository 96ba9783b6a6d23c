import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import type { DefinitionFile } from '../forms/definitions/check-files.js';
import { DefinitionError, type Diagnostic } from '../forms/definitions/definition-error.js';

const STANDARD_INPUT = '-';

/** Holds for "forms import" and "forms lint" alike. */
export const CANNOT_BE_IMPORTED = 'This cannot be imported';

/** @throws DefinitionError that names every file which cannot be read */
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
  if (mistakes.length > 0) throw new DefinitionError(mistakes, CANNOT_BE_IMPORTED);
  return files;
}

function read(name: string): Promise<Buffer> {
  return name === STANDARD_INPUT ? buffer(process.stdin) : readFile(name);
}

/** Without the byte order mark that some editors begin a file with. */
function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error('it is not text in UTF-8');
  }
}
