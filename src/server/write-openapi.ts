import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageVersion } from './package-version.js';
import { createOpenApiDocument } from './openapi-document.js';

// `npm run build` runs this file as dist/src/server/write-openapi.js.
const build = path.resolve(fileURLToPath(import.meta.url), '../../..');
const document = await createOpenApiDocument(packageVersion(path.dirname(build)));
writeFileSync(path.join(build, 'openapi.json'), JSON.stringify(document));
