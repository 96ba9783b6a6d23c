const {
  projects: [unit],
} = require('../../jest.config.cjs');

/** The specs start servers, so "npm test" of the service does not include them. */
module.exports = {
  ...unit,
  displayName: 'embedded-postgres',
  rootDir: __dirname,
  roots: ['<rootDir>/src'],
  testTimeout: 60_000,
};
