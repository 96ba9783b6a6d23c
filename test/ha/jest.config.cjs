/** A cluster takes the machine for itself: one file at a time. */
module.exports = require('../apart.cjs')('ha', { maxWorkers: 1 });
