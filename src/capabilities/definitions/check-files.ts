import { checkDefinition, type KnownNames } from './check-definition.js';
import type { Diagnostic, Position, Report } from './definition-error.js';
import type { FormDefinition } from './form-definition.js';
import { parseJson, type ParsedJson } from './parse-json.js';

export interface DefinitionFile {
  /** The name that messages use. */
  readonly name: string;
  readonly text: string;
}

export interface ParsedFile extends ParsedJson {
  readonly name: string;
}

export function parseFiles(files: readonly DefinitionFile[]): ParsedFile[] {
  return files.map(({ name, text }) => ({ name, ...parseJson(text) }));
}

/** Runs a check on a file. Returns the result of the check, and its reports sorted by position. */
export function runCheck<T>(
  file: ParsedFile,
  check: (report: Report) => T,
): [result: T, diagnostics: Diagnostic[]] {
  const diagnostics: (Diagnostic & Position)[] = [];
  const result = check((path, message, position = file.positionOf(path)) => {
    diagnostics.push({ file: file.name, ...position, path, message });
  });
  return [result, diagnostics.sort((one, other) => one.line - other.line || one.column - other.column)];
}

/**
 * Checks the files of one command. A form may be in only one of them. `forms import` and `forms lint` share this class, so that
 * both reject the same files.
 */
export class FileChecks {
  readonly mistakes: Diagnostic[] = [];
  private readonly filesByKey = new Map<string, string>();

  /** Returns the definition in a file, or undefined if the file has errors. */
  check(file: ParsedFile, names: KnownNames): FormDefinition | undefined {
    const [definition, mistakes] = runCheck(file, (report) => {
      for (const { path, message, ...position } of file.mistakes) report(path, message, position);
      if (file.value === undefined) return undefined;
      const checked = checkDefinition(file.value, names, report);
      this.checkUnique(file.name, 'slug', checked.slug, report);
      this.checkUnique(file.name, 'uuid', checked.uuid, report);
      return checked;
    });
    this.mistakes.push(...mistakes);
    return mistakes.length === 0 ? definition : undefined;
  }

  report(file: ParsedFile, path: string, message: string): void {
    this.mistakes.push({ file: file.name, ...file.positionOf(path), path, message });
  }

  private checkUnique(file: string, path: string, value: string | undefined, report: Report): void {
    if (value === undefined || value === '') return;
    const key = `${path} ${value}`;
    const other = this.filesByKey.get(key);
    if (other !== undefined) report(path, `is the same as in ${other}, but a form must be in only one file`);
    this.filesByKey.set(key, file);
  }
}
