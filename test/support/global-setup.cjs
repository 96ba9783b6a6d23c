// Jest does not apply moduleNameMapper to a global setup, so this resolves imports of sources, which name compiled `.js` files.
const Module = require('node:module');

const resolve = Module._resolveFilename;
Module._resolveFilename = function (request, parent, ...rest) {
  const isSource = request.startsWith('.') && !parent?.filename?.includes('node_modules');
  // The setup creates the OpenAPI document, which needs Swagger.
  const mapped = isSource ? request.replace(/\.js$/, '') : request.replace(/^#swagger$/, '@nestjs/swagger');
  return resolve.call(this, mapped, parent, ...rest);
};

module.exports = async () => {
  // Services of tests run from the build. Build here, where it does not count towards the timeout of a test.
  const { buildIfNeeded } = await import('../../scripts/build.mjs');
  await buildIfNeeded();
  const { setUp } = require('./test-run.ts');
  await setUp();
};
