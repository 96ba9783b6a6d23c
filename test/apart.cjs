const path = require('node:path');
const { projects } = require('../jest.config.cjs');

/** Returns the jest configuration of a folder of slow tests. `npm test` skips the folder, which has its own command. */
module.exports = (folder, options = {}) => ({
  ...projects[1],
  rootDir: path.resolve(__dirname, '..'),
  roots: [`<rootDir>/test/${folder}`],
  testPathIgnorePatterns: [],
  maxWorkers: 2,
  testTimeout: 120_000,
  ...options,
});
