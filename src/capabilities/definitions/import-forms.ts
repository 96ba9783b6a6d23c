import type { DataSource, EntityManager } from 'typeorm';
import { FieldType } from '../../forms/entities/field-type.js';
import { Form } from '../../forms/entities/form.js';
import { isSlug } from '../../forms/limits.js';
import { importTransaction, lockForms } from '../../cli/import-transaction.js';
import { recordAct } from '../../server/load-hooks.js';
import { type DefinitionFile, FileChecks, type ParsedFile, parseFiles } from './check-files.js';
import { namesIn } from './check-definition.js';
import { checkAgainstStored } from './check-stored.js';
import { DefinitionError, type Diagnostic } from './definition-error.js';
import { findForm, type StoredForm } from './export-form.js';
import type { FormDefinition } from './form-definition.js';
import type { ImportedForm } from './imported-form.js';
import { INSERT_FIELD_TYPES } from './form-statements.js';
import { warningsOf } from './lint-files.js';
import { writeForm } from './write-form.js';

export interface Import {
  readonly forms: readonly ImportedForm[];
  readonly warnings: readonly Diagnostic[];
}

/** A file without errors, and the form that it changes. */
export interface CheckedFile {
  readonly source: ParsedFile;
  readonly stored: StoredForm | undefined;
  readonly definition: FormDefinition;
}

/**
 * Creates or changes each form according to its file, in one transaction. Matches forms by slug, and writes only differences.
 * Calls `begin` first in the transaction, and again with each retry. Calls `review` before it writes. An error of `review` prevents
 * the import.
 *
 * @throws DefinitionError with every error in every file. Then nothing was changed.
 */
export async function importForms(
  dataSource: DataSource,
  files: readonly DefinitionFile[],
  begin: (manager: EntityManager) => Promise<void> = () => Promise.resolve(),
  review: (files: readonly CheckedFile[]) => void = () => undefined,
): Promise<Import> {
  const sources = parseFiles(files);
  const imported = await importTransaction(dataSource, async (manager) => {
    await begin(manager);
    return importInto(manager, sources, review);
  });
  return {
    forms: imported.map(({ form }) => form),
    warnings: imported.flatMap(({ source, definition }) => warningsOf(source, definition)),
  };
}

/** Like {@link importForms}, but within a running {@link importTransaction}, and without warnings. */
export async function importInto(
  manager: EntityManager,
  sources: readonly ParsedFile[],
  review: (files: readonly CheckedFile[]) => void = () => undefined,
): Promise<(CheckedFile & { readonly form: ImportedForm })[]> {
  const known = await knownComponents(manager);
  const components = new Map(known);
  const checked = await checkFiles(manager, sources, components);
  review(checked);
  await addFieldTypes(manager, known, components);
  const imported: (CheckedFile & { form: ImportedForm })[] = [];
  for (const file of checked) imported.push({ ...file, form: await write(manager, file) });
  return imported;
}

async function checkFiles(
  manager: EntityManager,
  sources: readonly ParsedFile[],
  components: Map<string, string>,
): Promise<CheckedFile[]> {
  await lockForms(manager, sources.map(slugOf));
  const checks = new FileChecks();
  const checked: CheckedFile[] = [];
  for (const source of sources) {
    const slug = slugOf(source);
    const stored = slug === undefined ? undefined : await findForm(manager, slug);
    const definition = checks.check(source, { components, ...namesIn(stored?.definition) });
    // A file with errors may be incomplete, so do not report what it would delete.
    if (definition === undefined) continue;
    await checkAgainstStored(manager, stored, definition, (path, message) =>
      checks.report(source, path, message),
    );
    checked.push({ source, stored, definition });
  }
  if (checks.mistakes.length > 0) throw new DefinitionError(checks.mistakes);
  return checked;
}

function slugOf(source: ParsedFile): string | undefined {
  const slug = (source.value as { slug?: unknown } | null | undefined)?.slug;
  return isSlug(slug) ? slug : undefined;
}

export async function knownComponents(manager: EntityManager): Promise<ReadonlyMap<string, string>> {
  const types = await manager.find(FieldType);
  return new Map(types.map(({ name, component }) => [name, component]));
}

async function addFieldTypes(
  manager: EntityManager,
  known: ReadonlyMap<string, string>,
  components: ReadonlyMap<string, string>,
): Promise<void> {
  const types = [...components].filter(([name]) => !known.has(name));
  if (types.length === 0) return;
  await manager.query(INSERT_FIELD_TYPES, [
    types.map(([name]) => name),
    types.map(([, component]) => component),
  ]);
}

async function write(manager: EntityManager, { stored, definition }: CheckedFile): Promise<ImportedForm> {
  const { id, isChanged } = await writeForm(manager, stored, definition);
  const { slug, uuid, version } = await manager.findOneByOrFail(Form, { id });
  const change = stored === undefined ? 'created' : isChanged ? 'changed' : 'unchanged';
  if (change !== 'unchanged') {
    await recordAct(manager, {
      action: 'form.imported',
      subject: `form:${slug}`,
      detail: { uuid, version, change },
    });
  }
  return { slug, uuid, version, change };
}
