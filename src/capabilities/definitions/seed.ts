import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { DataSource, EntityManager } from 'typeorm';
import { issueToken } from '../../auth/issue-token.js';
import { StartError } from '../../config/start-error.js';
import { findOrCreateUser } from '../../auth/find-or-create-user.js';
import { findDistribution } from '../../database/distribution.js';
import { sayToOperator } from '../../process/say-to-operator.js';
import type { DefinitionFile, ParsedFile } from './check-files.js';
import type { ImportedForm } from './import-forms.js';
import { importTransaction } from './import-transaction.js';

const DEVELOPER = 'dev@formtrail.local';

/**
 * Adds the example forms, a user and a development token to a new database, and returns the token. If the database has a user
 * already, changes nothing and returns undefined. Does not import the examples if the database has any form.
 */
export async function seedOnce(dataSource: DataSource, packageRoot: string): Promise<string | undefined> {
  return importTransaction(dataSource, async (manager) => {
    const [{ has_users, has_forms }] = await manager.query<[{ has_users: boolean; has_forms: boolean }]>(
      'select exists (select from users) as has_users, exists (select from forms) as has_forms',
    );
    if (has_users) return undefined;
    if (!has_forms) await importExamples(manager, packageRoot);
    return issueDevelopmentToken(manager);
  });
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

async function issueDevelopmentToken(manager: EntityManager): Promise<string> {
  const { id } = await findOrCreateUser(manager, DEVELOPER);
  return (await issueToken(manager, { userId: id, name: 'development' })).plainToken;
}

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
