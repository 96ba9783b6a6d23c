module.exports = require('../apart.cjs')('browser', {
  // The panel's tests have a separate command, "npm run test:panel".
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/browser/panel/'],
});
