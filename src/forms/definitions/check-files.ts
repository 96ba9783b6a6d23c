import { checkDefinition, type KnownNames } from './check-definition.js';
import type { Mistake, Place, Report } from './definition-error.js';
import type { FormDefinition } from './form-definition.js';
import { parseJson, type ParsedJson } from './parse-json.js';

export interface DefinitionFile {
  /** As messages call it. */
  readonly name: string;
  readonly text: string;
}

export interface ParsedFile extends ParsedJson {
  readonly name: string;
}

export function parseFiles(files: readonly DefinitionFile[]): ParsedFile[] {
  return files.map(({ name, text }) => ({ name, ...parseJson(text) }));
}

/** What a check reports of a file, in the order of the text, beside what it returns. */
export function mistakesIn<T>(
  file: ParsedFile,
  check: (report: Report) => T,
): [result: T, mistakes: Mistake[]] {
  const mistakes: (Mistake & Place)[] = [];
  const result = check((path, message, place = file.placeOf(path)) => {
    mistakes.push({ file: file.name, ...place, path, message });
  });
  return [result, mistakes.sort((one, other) => one.line - other.line || one.column - other.column)];
}

/** Looks at the files of one call, one after the other: a form may be in one of them only. */
export class FileChecks {
  readonly mistakes: Mistake[] = [];
  private readonly filesBySlug = new Map<string, string>();
  private readonly filesByUuid = new Map<string, string>();

  /** The definition that is in a file; undefined where that has a mistake. */
  check(file: ParsedFile, names: KnownNames): FormDefinition | undefined {
    const [definition, mistakes] = mistakesIn(file, (report) => {
      for (const { path, message, ...place } of file.mistakes) report(path, message, place);
      if (file.value === undefined) return undefined;
      const checked = checkDefinition(file.value, names, report);
      reportDuplicate(file, 'slug', checked.slug, this.filesBySlug, report);
      reportDuplicate(file, 'uuid', checked.uuid, this.filesByUuid, report);
      return checked;
    });
    this.mistakes.push(...mistakes);
    return mistakes.length === 0 ? definition : undefined;
  }

  report(file: ParsedFile, path: string, message: string): void {
    this.mistakes.push({ file: file.name, ...file.placeOf(path), path, message });
  }
}

function reportDuplicate(
  { name }: ParsedFile,
  path: string,
  value: string | undefined,
  files: Map<string, string>,
  report: Report,
): void {
  if (value === undefined || value === '') return;
  const other = files.get(value);
  if (other !== undefined) report(path, `is the same as in ${other}; a form is imported from one file`);
  files.set(value, name);
}
