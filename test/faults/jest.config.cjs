const config = require('../../jest.config.cjs');

/** Faults take the machine for themselves: one file at a time. */
module.exports = {
  ...config,
  rootDir: '../..',
  roots: ['<rootDir>/test/faults'],
  testPathIgnorePatterns: ['/node_modules/'],
  maxWorkers: 1,
  testTimeout: 120_000,
};
