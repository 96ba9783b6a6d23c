import { FIRST_FIELD_TYPES } from '../field-types.js';
import { checkDefinition } from './check-definition.js';
import { type DefinitionFile, FileChecks, mistakesIn, parseFiles } from './check-files.js';
import type { Mistake } from './definition-error.js';
import { lintForm } from './lint-form.js';

export interface Lint {
  /** What no database would take. */
  readonly mistakes: readonly Mistake[];
  /** Of the files without mistakes: what a database takes only if it has the same already. */
  readonly doubts: readonly Mistake[];
  /** Of the files without mistakes: what {@link lintForm} warns of. */
  readonly warnings: readonly Mistake[];
}

/** Looks at the files as an import would, but without a database, and for what is not meant. */
export function lintFiles(files: readonly DefinitionFile[]): Lint {
  const checks = new FileChecks();
  const anyNames = { components: new Map<string, string>(), otherComponent: '', codes: { has: () => true } };
  const firstNames = { components: new Map(FIRST_FIELD_TYPES), codes: new Set<string>() };
  const doubts: Mistake[] = [];
  const warnings: Mistake[] = [];
  for (const file of parseFiles(files)) {
    if (checks.check(file, anyNames) === undefined) continue;
    const [definition, doubted] = mistakesIn(file, (report) =>
      checkDefinition(file.value, firstNames, (path, message) => {
        report(path, `${message}; a database takes it only if it has it already`);
      }),
    );
    const [, warned] = mistakesIn(file, (report) => {
      for (const { path, message } of lintForm(definition)) report(path, message);
    });
    doubts.push(...doubted);
    warnings.push(...warned);
  }
  return { mistakes: checks.mistakes, doubts, warnings };
}
