import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const VARIABLE = 'FORMTRAIL_TEST_OPENAPI';

/** Makes the OpenAPI document of the sources once for the run, as the build does; returns what deletes it again. */
export async function writeOpenApi(): Promise<() => Promise<void>> {
  // Not by the tests that read the file, which need none of it.
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
