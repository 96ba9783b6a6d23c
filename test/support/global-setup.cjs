// Jest does not apply moduleNameMapper to a global set-up, and sources import each other as the `.js` they become.
const Module = require('node:module');

const resolve = Module._resolveFilename;
Module._resolveFilename = function (request, parent, ...rest) {
  const isSource = request.startsWith('.') && !parent?.filename?.includes('node_modules');
  return resolve.call(this, isSource ? request.replace(/\.js$/, '') : request, parent, ...rest);
};

module.exports = async () => {
  const { setUp } = require('./test-run.ts');
  await setUp();
};
