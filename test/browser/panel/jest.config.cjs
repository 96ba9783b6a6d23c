const { globalSetup, globalTeardown } = require('../jest.config.cjs');

module.exports = require('../../apart.cjs')('browser/panel', {
  rootDir: '../../..',
  globalSetup,
  globalTeardown,
});
