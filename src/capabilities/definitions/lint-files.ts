import { FIRST_FIELD_TYPES } from '../../forms/field-types.js';
import { namesIn } from './check-definition.js';
import { type DefinitionFile, FileChecks, type ParsedFile, parseFiles, runCheck } from './check-files.js';
import type { Diagnostic } from './definition-error.js';
import type { FormDefinition } from './form-definition.js';
import { lintForm } from './lint-form.js';

/** Returns the errors that an import into a new database would reject, and warnings of probable mistakes in the other files. */
export function lintFiles(files: readonly DefinitionFile[]) {
  const checks = new FileChecks();
  const names = { components: new Map<string, string>(FIRST_FIELD_TYPES), ...namesIn(undefined) };
  const warnings: Diagnostic[] = [];
  for (const file of parseFiles(files)) {
    const definition = checks.check(file, names);
    if (definition !== undefined) warnings.push(...warningsOf(file, definition));
  }
  return { mistakes: checks.mistakes, warnings };
}

/** Returns the warnings of {@link lintForm} for a file without errors, in the order of the text. */
export function warningsOf(file: ParsedFile, definition: FormDefinition): Diagnostic[] {
  const [, warnings] = runCheck(file, (report) => lintForm(definition, report));
  return warnings;
}
