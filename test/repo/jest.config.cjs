const {
  projects: [unit],
} = require('../../jest.config.cjs');

/** `npm run check:repo`: tests of documents, deployment files and sources, without a database. */
module.exports = {
  ...unit,
  rootDir: '../..',
  roots: ['<rootDir>/test/repo'],
  testEnvironment: '<rootDir>/test/support/environment.cjs',
  testPathIgnorePatterns: [],
  globalSetup: '<rootDir>/test/repo/global-setup.mjs',
  globalTeardown: undefined,
  testTimeout: 120_000,
};
