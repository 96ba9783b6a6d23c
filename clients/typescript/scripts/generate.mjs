// Writes src/schema.ts: the types of the OpenAPI document that the build of this checkout makes.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import openapiTypescript, { astToString } from 'openapi-typescript';
import typescript from 'typescript';

const root = new URL('../../../', import.meta.url);

// Builds the service where its sources are newer than its last build.
const { status } = spawnSync(
  process.execPath,
  [fileURLToPath(new URL('scripts/run.mjs', root)), 'cli', '--help'],
  { stdio: ['ignore', 'ignore', 'inherit'] },
);
if (status !== 0) process.exit(1);

const document = JSON.parse(readFileSync(new URL('dist/openapi.json', root), 'utf8'));
// Alternatives that only require properties would make the whole type unknown; client.ts has a type of its own for it.
delete document.components.schemas.NewValue.anyOf;
// TypeScript would make a plain string of known components and any others.
document.components.schemas.FieldType.properties.component.anyOf[1].title = 'UnknownComponent';
const types = astToString(
  await openapiTypescript(document, {
    transform: ({ title }) =>
      title === 'UnknownComponent' ? typescript.factory.createTypeReferenceNode(title) : undefined,
  }),
);
const schema = new URL('../src/schema.ts', import.meta.url);
const text = `// Generated from the service's OpenAPI document by "npm run generate".
import type { UnknownComponent } from './unknown-component.js';
${types}`;
// Its time says when the interface changed last.
if (!existsSync(schema) || readFileSync(schema, 'utf8') !== text) writeFileSync(schema, text);
