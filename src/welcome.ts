import { existsSync } from 'node:fs';
import path from 'node:path';
import type { DataSource } from 'typeorm';
import { Form } from './entities.js';
import { API_PREFIX } from './http/api-prefix.js';

/** The short screen of a development start. A token is given on the first start only, for it is stored nowhere. */
export async function welcome(
  dataSource: DataSource,
  packageRoot: string,
  url: string,
  newToken: string | undefined,
): Promise<string> {
  const form = await dataSource.manager.findOne(Form, { where: { isActive: true }, order: { id: 'ASC' } });
  const token = newToken ?? '(shown on the first start only)';
  return `
  Formtrail is listening.

  Address   ${url}
  API page  ${url}/docs
  Token     ${token}
            another one: ${commandLine(packageRoot)} tokens create --email you@example.org

  Try it:

${tryIt(url, form?.uuid, newToken)}

`;
}

/** A checkout builds before it runs a command; a package is built. */
function commandLine(packageRoot: string): string {
  return existsSync(path.join(packageRoot, 'scripts/run.mjs')) ? 'npm run --silent cli --' : 'npx formtrail';
}

function tryIt(url: string, formUuid: string | undefined, token: string | undefined): string {
  if (formUuid === undefined) return `  curl ${url}${API_PREFIX}/forms`;
  if (token === undefined) return `  curl ${url}${API_PREFIX}/forms/${formUuid}/schema`;
  return `  curl ${url}${API_PREFIX}/submissions -H 'Authorization: Bearer ${token}' \\
    -H 'Content-Type: application/json' -d '{"form_uuid": "${formUuid}"}'`;
}
