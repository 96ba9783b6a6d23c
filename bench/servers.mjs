import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BenchError } from './bench-error.mjs';
import { postgresCpu, processTimes } from './cpu.mjs';
import { ROOT } from './root.mjs';

const START_WITHIN = 20_000;

export function startFloor(database) {
  return start('floor', path.join(ROOT, 'bench/floor.mjs'), database, '/api/v1/forms/none/schema', {
    NODE_ENV: 'production',
  });
}

/**
 * Starts the built service in production mode, with as many database connections as the floor. Rate limits are on,
 * but so high that no request is rejected. Memory is limited as in the image.
 */
export function startService(database, name = 'formtrail', variables = {}, flags = []) {
  return start(
    name,
    path.join(ROOT, 'dist/src/main.js'),
    database,
    '/health/ready',
    {
      NODE_ENV: 'production',
      NODE_OPTIONS: process.env.NODE_OPTIONS ?? '--max-semi-space-size=16 --max-old-space-size=384',
      MALLOC_ARENA_MAX: '1',
      DATABASE_POOL_SIZE: '12',
      THROTTLE_LIMIT: '1000000000',
      THROTTLE_USER_LIMIT: '1000000000',
      USER_STORAGE: '9999999,9999999',
      LOG_LEVEL: 'warn',
      SHUTDOWN_TIMEOUT: '2',
      ...variables,
    },
    flags,
  );
}

async function start(name, program, database, probe, variables, flags = []) {
  const port = await freePort();
  const child = spawn(process.execPath, [...flags, program], {
    cwd: tmpdir(),
    env: { PATH: process.env.PATH, ...variables, HOST: '127.0.0.1', PORT: port, DATABASE_URL: database.url },
    // Show the warnings of a service, such as the loss of Redis, because they explain why a run fails.
    stdio: ['ignore', process.stderr, 'inherit'],
  });
  const ended = once(child, 'close');
  const server = {
    name,
    database,
    pid: child.pid,
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
  const giveUpAt = Date.now() + START_WITHIN;
  for (;;) {
    const response = await fetch(server.url + probe).catch(() => undefined);
    if (response !== undefined && response.status !== 503) return server;
    if (child.exitCode !== null) throw new BenchError(`The server "${name}" has ended; see above.`);
    if (Date.now() > giveUpAt) {
      await server.stop();
      throw new BenchError(`The server "${name}" did not respond within ${START_WITHIN / 1000} seconds.`);
    }
    await sleep(50);
  }
}

export async function freePort() {
  const listener = net.createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address();
  listener.close();
  return String(port);
}

/** Returns CPU microseconds of a process and of its PostgreSQL, and resident memory in bytes. Empty except on Linux. */
export async function usage({ pid, database }) {
  if (process.platform !== 'linux') return {};
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return {
    cpu: (await processTimes(pid)).own,
    postgres: await postgresCpu(database.client),
    memory: Number(/VmRSS:\s+(\d+) kB/.exec(status)[1]) * 1024,
  };
}
