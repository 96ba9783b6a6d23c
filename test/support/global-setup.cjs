// Jest does not apply moduleNameMapper to a global setup, so this file resolves the `.js` imports of sources.
const Module = require('node:module');

const resolve = Module._resolveFilename;
Module._resolveFilename = function (request, parent, ...rest) {
  const isSource = request.startsWith('.') && !parent?.filename?.includes('node_modules');
  // The setup creates the OpenAPI document, which needs Swagger.
  const mapped = isSource ? request.replace(/\.js$/, '') : request.replace(/^#swagger$/, '@nestjs/swagger');
  return resolve.call(this, mapped, parent, ...rest);
};

module.exports = async () => {
  // Services of tests run from the build. Build here, because here no timeout of a test applies.
  const { buildIfNeeded } = await import('../../scripts/build.mjs');
  await buildIfNeeded();
  const { setUp } = require('./test-run.ts');
  await setUp();
};
