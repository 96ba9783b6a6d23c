const config = require('../jest.config.cjs');

/** Returns the jest configuration of a folder of slow tests. `npm test` skips the folder, which has its own command. */
module.exports = (folder, options = {}) => ({
  ...config,
  rootDir: '../..',
  roots: [`<rootDir>/test/${folder}`],
  testPathIgnorePatterns: ['/node_modules/'],
  testTimeout: 120_000,
  ...options,
});
