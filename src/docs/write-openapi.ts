import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageVersion } from '../package-version.js';
import { createOpenApiDocument } from './openapi-document.js';

// dist/src/docs/write-openapi.js, by `npm run build`
const packageRoot = path.resolve(fileURLToPath(import.meta.url), '../../../..');
const document = await createOpenApiDocument(packageVersion(packageRoot));
writeFileSync(path.join(packageRoot, 'dist/openapi.json'), JSON.stringify(document));
