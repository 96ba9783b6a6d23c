import { checkDefinition, type KnownNames } from './check-definition.js';
import type { Mistake } from './definition-error.js';
import type { FormDefinition } from './form-definition.js';
import { parseJson } from './json-text.js';

export interface DefinitionFile {
  /** As messages call it. */
  readonly name: string;
  readonly text: string;
}

export type ParsedFile = { readonly name: string } & ReturnType<typeof parseJson>;

export function parseFiles(files: readonly DefinitionFile[]): ParsedFile[] {
  return files.map(({ name, text }) => ({ name, ...parseJson(text) }));
}

/** Looks at the files of one call, one after the other: a form may be in one of them only. */
export class FileChecks {
  readonly mistakes: Mistake[] = [];
  private readonly filesBySlug = new Map<string, string>();
  private readonly filesByUuid = new Map<string, string>();

  /** The definition that is in a file; undefined where that has a mistake. */
  check(file: ParsedFile, names: KnownNames): FormDefinition | undefined {
    const before = this.mistakes.length;
    if ('mistake' in file) {
      this.report(file, '', file.mistake);
      return undefined;
    }
    const definition = checkDefinition(file.value, names, (path, message) =>
      this.report(file, path, message),
    );
    this.reportTwin(file, 'slug', definition.slug, this.filesBySlug);
    this.reportTwin(file, 'uuid', definition.uuid, this.filesByUuid);
    return this.mistakes.length === before ? definition : undefined;
  }

  report({ name }: { readonly name: string }, path: string, message: string): void {
    this.mistakes.push({ file: name, path, message });
  }

  private reportTwin(
    file: ParsedFile,
    path: string,
    value: string | undefined,
    others: Map<string, string>,
  ): void {
    const twin = value === undefined || value === '' ? undefined : others.get(value);
    if (twin !== undefined)
      this.report(file, path, `is the same as in ${twin}; a form is imported from one file`);
    if (value !== undefined) others.set(value, file.name);
  }
}
