import process from 'node:process';
import { buildIfNeeded, root } from '../../scripts/build.mjs';

/** The build creates the OpenAPI document. */
export default async function setUp() {
  await buildIfNeeded();
  process.env.FORMTRAIL_TEST_OPENAPI = `${root}/dist/openapi.json`;
}
