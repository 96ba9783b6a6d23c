/** Runs one file at a time, because each cluster needs the whole machine. */
module.exports = require('../apart.cjs')('ha', { maxWorkers: 1 });
