import type { DataSource, EntityManager } from 'typeorm';
import { namesIn } from '../check-definition.js';
import { type DefinitionFile, FileChecks, parseFiles } from '../check-files.js';
import { compareForms, isBreaking } from '../compare-forms.js';
import { asLine, DefinitionError } from '../definition-error.js';
import { findForm } from '../export-form.js';
import type { FormChange } from '../form-changes.js';
import { type CheckedFile, knownComponents } from '../import-forms.js';
import { compareSchemas, findVersions, schemaOf, type VersionsOfForm } from '../kept-versions.js';
import { CommandError, noFormWithSlug } from '../../../cli/command-error.js';
import { counted } from '../../../cli/output.js';

/** Returns the changes that the import of the file would make to a form. `files` has one file. */
export async function compareWithFile(
  { manager }: DataSource,
  slug: string,
  files: readonly DefinitionFile[],
): Promise<FormChange[]> {
  const stored = await findForm(manager, slug);
  if (stored === undefined) throw noFormWithSlug(slug);
  const checks = new FileChecks();
  const names = { components: new Map(await knownComponents(manager)), ...namesIn(stored.definition) };
  return parseFiles(files).flatMap((file) => {
    const definition = checks.check(file, names);
    if (definition === undefined) throw new DefinitionError(checks.mistakes, 'This cannot be compared');
    if (definition.slug !== slug) throw otherForm(slug, file.name, definition.slug);
    return compareForms(stored.definition, definition);
  });
}

function otherForm(slug: string, file: string, other: string): CommandError {
  return new CommandError(
    `The slug in ${file} is "${other}", not "${slug}". Compare the file with its own form: "forms diff ${other} FILE".`,
  );
}

/** Returns the changes from one version of a form to another. `to` is the current version by default. */
export function compareVersions(dataSource: DataSource, slug: string, from: number, to: number | undefined) {
  return withVersions(dataSource, slug, async (form, manager) => {
    const schemas = [await schemaOf(manager, form, from)];
    schemas.push(to === undefined ? form.currentSchema : await schemaOf(manager, form, to));
    const [before, after] = schemas;
    if (before === undefined) throw notKept(form, slug, from);
    if (after === undefined) throw notKept(form, slug, to);
    return compareSchemas(before, after);
  });
}

/** Executes `work` on one snapshot of the database. */
export function withVersions<T>(
  dataSource: DataSource,
  slug: string,
  work: (form: VersionsOfForm, manager: EntityManager) => Promise<T>,
): Promise<T> {
  return dataSource.transaction('REPEATABLE READ', async (manager) => {
    const form = await findVersions(manager, slug);
    if (form === undefined) throw noFormWithSlug(slug);
    return work(form, manager);
  });
}

function notKept({ versions }: VersionsOfForm, slug: string, version: number | undefined): CommandError {
  if (versions.some((one) => one.version === version))
    return new CommandError(
      `Version ${version} of the form "${slug}" cannot be read, because its row in form_versions holds no schema. Another ` +
        'program wrote it. Restore the row from a backup, or compare another version.',
    );
  return new CommandError(
    `Version ${version} of the form "${slug}" is not kept. Only versions in which a submission was completed are kept. ` +
      `"forms versions ${slug}" lists the versions that can be compared.`,
  );
}

/** Throws if an import of the files would make a breaking change. */
export function refuseBreaking(files: readonly CheckedFile[]): void {
  const lines = files.flatMap(({ source, stored, definition }) =>
    stored === undefined
      ? []
      : compareForms(stored.definition, definition)
          .filter(isBreaking)
          .map(({ path, message }) => asLine({ file: source.name, path, message })),
  );
  if (lines.length === 0) return;
  throw new CommandError(
    [
      `Nothing was imported, because of ${counted(lines.length, 'breaking change')}:`,
      ...lines.map((line) => `  ${line}`),
      'Undo these changes in the file, or import without --refuse-breaking to accept them. "forms diff" also lists the ' +
        'compatible changes.',
    ].join('\n'),
  );
}
