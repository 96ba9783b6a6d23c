import path from 'node:path';

/** The OpenAPI document, which the build creates. */
export const OPENAPI_FILE = path.resolve(__dirname, '../../dist/openapi.json');
