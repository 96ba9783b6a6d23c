import path from 'node:path';
import type { DataSource } from 'typeorm';
import type { Environment } from '../config/environment.js';
import { Form } from '../entities.js';
import { API_PREFIX } from '../http/api-prefix.js';
import { commandLine } from './command-line.js';

interface StartedService {
  readonly url: string;
  /** Only for the embedded database, because DATABASE_URL is known to the user and may contain a password. */
  readonly databaseUrl: string | undefined;
  /** Only on the first start, because the database stores only the token's hash. */
  readonly newToken: string | undefined;
}

/** Returns the start-up output in development. */
export async function welcome(
  dataSource: DataSource,
  packageRoot: string,
  { url, databaseUrl, newToken }: StartedService,
): Promise<string> {
  const form = await dataSource.manager.findOne(Form, { where: { isActive: true }, order: { id: 'ASC' } });
  const another = `${commandLine(packageRoot)} tokens create --email you@example.org`;
  const token =
    newToken === undefined ? `create one: ${another}` : `${newToken}\n            create another: ${another}`;
  return `
  Formtrail is listening.

  Address   ${url}
  API page  ${url}/docs
${databaseUrl === undefined ? '' : `  Database  ${databaseUrl}\n`}  Token     ${token}

  Try it:

${tryIt(url, form, newToken)}

`;
}

/** Returns the last output in development, where a folder contains the data. */
export function farewell({ databaseUrl, dataDir }: Pick<Environment, 'databaseUrl' | 'dataDir'>): string {
  const place = databaseUrl === undefined ? path.resolve(dataDir) : 'the database of DATABASE_URL';
  return `\n  Stopped. The data stays in ${place}.\n\n`;
}

function tryIt(url: string, form: Form | null, token: string | undefined): string {
  if (form === null) return `  curl -sS ${url}${API_PREFIX}/forms`;
  if (token === undefined) return `  curl -sS ${url}${API_PREFIX}/forms/${form.slug}/by-slug`;
  return `  curl -sS ${url}${API_PREFIX}/submissions -H 'Authorization: Bearer ${token}' \\
    -H 'Content-Type: application/json' -d '{"form_uuid": "${form.uuid}"}'`;
}
