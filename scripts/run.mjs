// Runs the command line, after a build if the sources are newer than the last build.
import { buildIfNeeded } from './build.mjs';

endWithParent();
await buildIfNeeded();
await import('../dist/src/cli.js');

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
