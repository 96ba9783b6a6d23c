// Runs dist/src/main.js or dist/src/cli.js. Builds first if the sources are newer than the last build.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildIfNeeded, root } from './build.mjs';

const [program, ...rest] = process.argv.slice(2);
endWithParent();
await buildIfNeeded();
const script = path.join(root, `dist/src/${program}.js`);
process.argv = [process.argv[0], script, ...rest];
await import(pathToFileURL(script).href);

/**
 * Ends this process after its parent. npm signals only its shell, so the server would
 * otherwise survive and occupy the port.
 */
function endWithParent() {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    // Send only one signal, because a second signal would end the server at once and leave its database running.
    clearInterval(timer);
    process.kill(process.pid, 'SIGINT');
  }, 500).unref();
}
