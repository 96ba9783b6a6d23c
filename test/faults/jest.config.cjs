/** Runs one file at a time, because each fault test needs the whole machine. */
module.exports = require('../apart.cjs')('faults', { maxWorkers: 1 });
