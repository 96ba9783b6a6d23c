/** Faults take the machine for themselves: one file at a time. */
module.exports = require('../apart.cjs')('faults', { maxWorkers: 1 });
