const path = require('node:path');
const { projects, ...config } = require('../jest.config.cjs');

const rootDir = path.resolve(__dirname, '..');

/** `npm run test:all`: also the tests that are long and prove no rule that another test does not prove (`*.long.spec.ts`). */
module.exports = {
  ...config,
  rootDir,
  projects: projects.map(({ testPathIgnorePatterns: [, ...others], ...project }) => ({
    ...project,
    rootDir,
    testPathIgnorePatterns: others,
  })),
};
