// Jest does not apply moduleNameMapper to a global set-up, and sources import each other as the `.js` they become.
const Module = require('node:module');

const resolve = Module._resolveFilename;
Module._resolveFilename = function (request, parent, ...rest) {
  const isSource = request.startsWith('.') && !parent?.filename?.includes('node_modules');
  // It makes the OpenAPI document.
  const mapped = isSource ? request.replace(/\.js$/, '') : request.replace(/^#swagger$/, '@nestjs/swagger');
  return resolve.call(this, mapped, parent, ...rest);
};

module.exports = async () => {
  // Services of tests run from it. Here no time-out of a test counts the seconds that it takes.
  const { buildIfNeeded } = await import('../../scripts/build.mjs');
  await buildIfNeeded();
  const { setUp } = require('./test-run.ts');
  await setUp();
};
