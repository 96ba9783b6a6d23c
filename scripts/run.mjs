// Runs the command line, after a build if the sources are newer than the last build.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { buildIfNeeded } from './build.mjs';

endWithParent();
if (process.argv[2] === 'serve') await requireFreePort();
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

/** Fails early if the server could not listen, because a build and the start of the database take much longer than this look. */
async function requireFreePort() {
  const { PORT: port = '3000', HOST: host = '127.0.0.1' } = process.env;
  const server = createServer();
  try {
    await once(server.listen(Number(port), host), 'listening');
    server.close();
    await once(server, 'close');
  } catch (error) {
    // The server itself explains other errors, such as a PORT that is no number.
    if (error.code !== 'EADDRINUSE') return;
    process.stderr.write(
      `formtrail: Port ${port} of ${host} is in use, perhaps by another Formtrail. Stop it, or set PORT.\n`,
    );
    process.exit(1);
  }
}
