// Runs dist/src/main.js or dist/src/cli.js, and builds first where the sources are newer than the last build.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildWhereNeeded, root } from './build.mjs';

const [program, ...rest] = process.argv.slice(2);
endWithParent();
await buildWhereNeeded();
const script = path.join(root, `dist/src/${program}.js`);
process.argv = [process.argv[0], script, ...rest];
await import(pathToFileURL(script).href);

/** A signal to npm ends npm's shell and goes no further; the server would stay behind, and keep the port. */
function endWithParent() {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    // Once: a second signal ends the server at once, and would leave its database running.
    clearInterval(timer);
    process.kill(process.pid, 'SIGINT');
  }, 500).unref();
}
