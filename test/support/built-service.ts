import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { eventually } from './eventually.js';

const ROOT = path.resolve(__dirname, '../..');
const MAIN = path.join(ROOT, 'dist/src/main.js');
/** Maximum milliseconds for a process to start or end, even on a busy machine. */
export const PATIENCE = 60_000;
/** Maximum milliseconds for a service to start while other tests keep the processors busy. */
const START_PATIENCE = 60_000;

/** A process of the built service. */
export interface BuiltService {
  readonly child: ChildProcess;
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  stdout: string;
  stderr: string;
}

const running = new Set<BuiltService>();

/** Builds the service if the sources are newer than the last build, as `npm start` does. */
export async function build(): Promise<void> {
  await promisify(execFile)(process.execPath, [path.join(ROOT, 'scripts/run.mjs'), '--help']);
}

/** Starts the built service like an operator, without this process's environment. `node` runs the program `main`. */
export function runBuilt(
  variables: Record<string, string>,
  main = MAIN,
  node = process.execPath,
): BuiltService {
  const child = spawn(node, [main], {
    cwd: tmpdir(),
    env: { PATH: process.env['PATH'], ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const service: BuiltService = {
    child,
    stdout: '',
    stderr: '',
    ended: once(child, 'close').then(([code, signal]) => ({
      code: code as number | null,
      signal: signal as NodeJS.Signals | null,
    })),
  };
  child.stdout.on('data', (text: Buffer) => (service.stdout += text.toString()));
  child.stderr.on('data', (text: Buffer) => (service.stderr += text.toString()));
  running.add(service);
  return service;
}

/** Starts the built service on a free port, without rate limits, and waits until the service listens. */
export async function runListening(
  variables: Record<string, string>,
  main?: string,
  node?: string,
): Promise<BuiltService & { readonly url: string }> {
  const quick = { PORT: '0', THROTTLE_LIMIT: '0', THROTTLE_USER_LIMIT: '0', SHUTDOWN_TIMEOUT: '2' };
  const service = runBuilt({ ...quick, ...variables }, main, node);
  const url = await eventually(
    'the service says where it listens',
    () => {
      if (service.child.exitCode !== null) throw new Error(`It ended: ${service.stderr}`);
      return /http:\/\/[\w.]+:\d+/.exec(service.stdout)?.[0];
    },
    START_PATIENCE,
  );
  return Object.assign(service, { url: url.replace('0.0.0.0', '127.0.0.1') });
}

/** Kills all services that still run. Call this in `afterEach`. */
export async function killBuilt(): Promise<void> {
  for (const { child, ended } of running) {
    child.kill('SIGKILL');
    await ended;
  }
  running.clear();
}

/** Returns `NODE_OPTIONS` that make Node.js run this code before the service. */
export function preload(code: string): string {
  return `--import=data:text/javascript,${encodeURIComponent(code)}`;
}

export async function within<T>(promise: Promise<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`Waited in vain: ${what}`));
    }, PATIENCE);
  });
  return Promise.race([promise, late]).finally(() => {
    clearTimeout(timer);
  });
}
