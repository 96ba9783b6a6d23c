import type { DataSource, EntityManager } from 'typeorm';
import { isSlug } from '../limits.js';
import { type DefinitionFile, FileChecks, type ParsedFile, parseFiles } from './check-files.js';
import type { KnownNames } from './check-definition.js';
import { checkAgainstStored } from './check-stored.js';
import { DefinitionError } from './definition-error.js';
import { findForm, type StoredForm } from './export-form.js';
import { fieldsOf, type FormDefinition } from './form-definition.js';
import { INSERT_FIELD_TYPES } from './form-statements.js';
import { importTransaction, sqlState } from './import-transaction.js';
import { writeForm } from './write-form.js';

export interface ImportedForm {
  readonly slug: string;
  readonly uuid: string;
  readonly version: number;
  readonly change: 'created' | 'changed' | 'unchanged';
}

interface CheckedFile {
  readonly name: string;
  readonly stored: StoredForm | undefined;
  readonly definition: FormDefinition;
}

/**
 * Makes each form what its file says, matched by slug, all in one transaction. What has not changed is not written.
 *
 * @throws DefinitionError with every mistake of every file; nothing is changed then
 */
export async function importForms(
  dataSource: DataSource,
  files: readonly DefinitionFile[],
): Promise<ImportedForm[]> {
  return importTransaction(dataSource, (manager) => importInto(manager, files));
}

/** The same within a transaction of {@link importTransaction}. */
export async function importInto(
  manager: EntityManager,
  files: readonly DefinitionFile[],
): Promise<ImportedForm[]> {
  const known = await knownComponents(manager);
  const components = new Map(known);
  const checked = await checkFiles(manager, files, components);
  await addFieldTypes(manager, known, components);
  const imported: ImportedForm[] = [];
  for (const file of checked) imported.push(await write(manager, file));
  return imported;
}

async function checkFiles(
  manager: EntityManager,
  files: readonly DefinitionFile[],
  components: Map<string, string>,
): Promise<CheckedFile[]> {
  const sources = parseFiles(files);
  await lockForms(manager, sources.map(slugOf));
  const checks = new FileChecks();
  const checked: CheckedFile[] = [];
  for (const source of sources) {
    const slug = slugOf(source);
    const stored = slug === undefined ? undefined : await findForm(manager, slug);
    const definition = checks.check(source, { components, ...namesIn(stored) });
    // What a broken file leaves out is not meant to be dropped.
    if (definition === undefined) continue;
    await checkAgainstStored(manager, stored, definition, (path, message) =>
      checks.report(source, path, message),
    );
    checked.push({ name: source.name, stored, definition });
  }
  if (checks.mistakes.length > 0) throw new DefinitionError(checks.mistakes);
  return checked;
}

function slugOf(source: ParsedFile): string | undefined {
  const slug = (source.value as { slug?: unknown } | null | undefined)?.slug;
  return isSlug(slug) ? slug : undefined;
}

function namesIn(stored: StoredForm | undefined): Omit<KnownNames, 'components'> {
  const fields = stored === undefined ? [] : fieldsOf(stored.definition).map(({ field }) => field);
  const rules = fields.flatMap((field) => field.rules);
  return {
    codes: new Set(fields.map(({ code }) => code)),
    entityNames: new Set(stored?.definition.entities.map(({ name }) => name)),
    timeZone: stored?.definition.time_zone,
    patterns: new Set(rules.filter(({ kind }) => kind === 'pattern').map(({ value }) => value)),
  };
}

/** Whoever changes a form changes its row, too, through the triggers, and waits until the import has ended. */
async function lockForms(manager: EntityManager, slugs: readonly (string | undefined)[]): Promise<void> {
  await manager.query('select from forms where slug = any ($1) order by id for no key update', [slugs]);
  // From here on, waiting may mean a deadlock: the import must be what gives way, before PostgreSQL looks for one
  // (deadlock_timeout, 1 s) and perhaps ends a client's request.
  await manager.query(`set local lock_timeout = '500ms'`);
}

async function knownComponents(manager: EntityManager): Promise<ReadonlyMap<string, string>> {
  const types = await manager.query<{ name: string; component: string }[]>(
    'select name, component from field_types',
  );
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

async function write(
  manager: EntityManager,
  { name, stored, definition }: CheckedFile,
): Promise<ImportedForm> {
  try {
    const { id, isChanged } = await writeForm(manager, stored, definition);
    const [form] = await manager.query<[Omit<ImportedForm, 'change'>]>(
      'select slug, uuid, version from forms where id = $1',
      [id],
    );
    return { ...form, change: stored === undefined ? 'created' : isChanged ? 'changed' : 'unchanged' };
  } catch (error) {
    // Program limit exceeded: an option value, for example, that is too long to be kept unique.
    if (sqlState(error)?.startsWith('54') !== true) throw error;
    throw new DefinitionError([
      { file: name, path: '', message: `cannot be stored: ${(error as Error).message}` },
    ]);
  }
}
