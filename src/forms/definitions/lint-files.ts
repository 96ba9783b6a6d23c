import { FIRST_FIELD_TYPES } from '../field-types.js';
import { checkDefinition } from './check-definition.js';
import { type DefinitionFile, FileChecks, parseFiles, runCheck } from './check-files.js';
import type { Diagnostic } from './definition-error.js';
import { lintForm } from './lint-form.js';

export interface Lint {
  /** What no database takes as new. Only of the names of entities one may have such from an older version. */
  readonly mistakes: readonly Diagnostic[];
  /** Of the files without mistakes: what a database takes only if it has the same already. */
  readonly unverified: readonly Diagnostic[];
  /** Of the files without mistakes: what {@link lintForm} warns of. */
  readonly warnings: readonly Diagnostic[];
}

/** Checks the files as an import would, but without a database, and warns of what is hardly meant. */
export function lintFiles(files: readonly DefinitionFile[]): Lint {
  const checks = new FileChecks();
  const any = { has: () => true };
  const none = new Set<string>();
  const anyNames = {
    ...{ components: new Map<string, string>(), otherComponent: '' },
    ...{ codes: any, entityNames: none, patterns: any },
  };
  const firstNames = {
    components: new Map(FIRST_FIELD_TYPES),
    ...{ codes: none, entityNames: none, patterns: none },
  };
  const unverified: Diagnostic[] = [];
  const warnings: Diagnostic[] = [];
  for (const file of parseFiles(files)) {
    if (checks.check(file, anyNames) === undefined) continue;
    const [definition, unverifiedHere] = runCheck(file, (report) =>
      checkDefinition(file.value, firstNames, (path, message) => {
        report(path, `${message}; a database takes it only if it has it already`);
      }),
    );
    const [, warningsHere] = runCheck(file, (report) => lintForm(definition, report));
    unverified.push(...unverifiedHere);
    warnings.push(...warningsHere);
  }
  return { mistakes: checks.mistakes, unverified, warnings };
}
