import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const VARIABLE = 'FORMTRAIL_TEST_OPENAPI';

/** Creates the OpenAPI document from the sources once for the run. Returns a function that deletes it. */
export async function writeOpenApi(): Promise<() => Promise<void>> {
  // Import the program only here, because tests that read the file do not need it.
  const { createOpenApiDocument } = await import('../../src/server/openapi-document.js');
  const directory = await mkdtemp(path.join(tmpdir(), 'formtrail-openapi-'));
  const file = path.join(directory, 'openapi.json');
  await writeFile(file, JSON.stringify(await createOpenApiDocument('0.0.0')));
  process.env[VARIABLE] = file;
  return () => rm(directory, { recursive: true, force: true });
}

export function openApiFile(): string {
  return process.env[VARIABLE] ?? '';
}
