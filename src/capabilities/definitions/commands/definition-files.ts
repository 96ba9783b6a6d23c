import { readText, STANDARD_INPUT } from '../../../cli/read-text.js';
import type { DefinitionFile } from '../check-files.js';
import { DefinitionError, type Diagnostic } from '../definition-error.js';

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
      files.push({ name: file, text: await readText(name, MAX_MEBIBYTES) });
    } catch (error) {
      mistakes.push({ file, path: '', message: `cannot be read (${(error as Error).message})` });
    }
  }
  if (mistakes.length > 0) throw new DefinitionError(mistakes, IMPORT_ERROR_HEADING);
  return files;
}
