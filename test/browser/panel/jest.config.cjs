module.exports = require('../../apart.cjs')('browser/panel', { rootDir: '../../..' });
