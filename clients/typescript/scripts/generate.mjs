// Generates src/schema.ts, the types of the OpenAPI document of this checkout.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import openapiTypescript, { astToString } from 'openapi-typescript';
import typescript from 'typescript';

const root = new URL('../../../', import.meta.url);

// Build the service if its sources are newer than its last build.
const { status } = spawnSync(process.execPath, [fileURLToPath(new URL('scripts/run.mjs', root)), '--help'], {
  stdio: ['ignore', 'ignore', 'inherit'],
});
if (status !== 0) process.exit(1);

const document = JSON.parse(readFileSync(new URL('dist/openapi.json', root), 'utf8'));
// This `anyOf` only requires properties, which would make the type `unknown`. client.ts declares NewValue itself.
delete document.components.schemas.NewValue.anyOf;
// Without a type of its own, the union of the known components and `string` would be `string`.
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
// Keep the modification time if the API has not changed.
if (!existsSync(schema) || readFileSync(schema, 'utf8') !== text) writeFileSync(schema, text);
