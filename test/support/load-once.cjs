/**
 * Replaces a module of the build or of a package: the worker (`environment.cjs`) loads it once for all spec files. Node.js loads it
 * without jest, so ES modules need no transformation.
 */
module.exports = {
  process: (_source, file) => ({ code: `module.exports = worker.load(${JSON.stringify(file)});` }),
};
