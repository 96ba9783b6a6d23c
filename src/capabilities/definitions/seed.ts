import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { DataSource, EntityManager } from 'typeorm';
import { beginImport, importTransaction } from '../../cli/import-transaction.js';
import { issueDevelopmentToken } from '../../auth/issue-development-token.js';
import { StartError } from '../../config/start-error.js';
import { Form } from '../../forms/entities/form.js';
import { findDistribution } from '../../database/distribution.js';
import { sayToOperator } from '../../process/say-to-operator.js';
import type { DefinitionFile, ParsedFile } from './check-files.js';
import type { ImportedForm } from './imported-form.js';

/** Imports the example forms in a running transaction, if the database has no form. */
export async function addExampleForms(manager: EntityManager, packageRoot: string): Promise<void> {
  await beginImport(manager);
  if (!(await manager.exists(Form))) await importExamples(manager, packageRoot);
}

/** Imports the example forms, which reverts changes to them, and issues another development token. */
export async function seed(
  dataSource: DataSource,
  packageRoot: string,
  begin: (manager: EntityManager) => Promise<void> = () => Promise.resolve(),
): Promise<{ forms: ImportedForm[]; plainToken: string }> {
  return importTransaction(dataSource, async (manager) => {
    await begin(manager);
    return {
      forms: await importExamples(manager, packageRoot),
      plainToken: await issueDevelopmentToken(manager),
    };
  });
}

async function importExamples(manager: EntityManager, packageRoot: string): Promise<ImportedForm[]> {
  // Loaded only here: without the import code, a server that already has forms starts faster.
  const { importInto } = await import('./import-forms.js');
  const { parseFiles } = await import('./check-files.js');
  const files = parseFiles(await readExamples(packageRoot));
  const { name } = await findDistribution(manager);
  if (name !== undefined)
    sayToOperator(`No example form is public, because submissions are distributed over ${name}.`);
  const imported = await importInto(manager, name === undefined ? files : files.map(withoutPublicAccess));
  return imported.map(({ form }) => form);
}

const withoutPublicAccess = ({ value, ...file }: ParsedFile): ParsedFile => ({
  ...file,
  value: { ...(value as object), access: 'token' },
});

async function readExamples(packageRoot: string): Promise<DefinitionFile[]> {
  const directory = path.join(packageRoot, 'examples', 'forms');
  try {
    const names = (await readdir(directory)).filter((name) => name.endsWith('.json')).sort();
    return await Promise.all(
      names.map(async (name) => ({ name, text: await readFile(path.join(directory, name), 'utf8') })),
    );
  } catch (error) {
    throw new StartError(`The example forms cannot be read (${(error as Error).message}).`);
  }
}
