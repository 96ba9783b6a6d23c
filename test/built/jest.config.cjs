module.exports = require('../apart.cjs')('built');
