const config = require('../jest.config.cjs');

/** For tests with a command of their own, which `npm test` leaves out because of the time they take. */
module.exports = (folder, options = {}) => ({
  ...config,
  rootDir: '../..',
  roots: [`<rootDir>/test/${folder}`],
  testPathIgnorePatterns: ['/node_modules/'],
  testTimeout: 120_000,
  ...options,
});
