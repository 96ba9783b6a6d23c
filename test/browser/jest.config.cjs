module.exports = require('../apart.cjs')('browser', {
  globalSetup: '<rootDir>/test/browser/global-setup.mjs',
  globalTeardown: '<rootDir>/test/browser/global-teardown.mjs',
  // The panel's tests have a separate command, "npm run test:panel".
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/browser/panel/'],
});
