import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { eventually } from './eventually.js';

const ROOT = path.resolve(__dirname, '../..');
const MAIN = path.join(ROOT, 'dist/src/main.js');
/** Milliseconds in which a process of a busy machine has surely started or ended. */
export const PATIENCE = 20_000;
/** The same of a start while other tests and their load have the processors. */
const START_PATIENCE = 60_000;

/** A process of the built service. */
export interface BuiltService {
  readonly child: ChildProcess;
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  stdout: string;
  stderr: string;
}

const running = new Set<BuiltService>();

/** Builds where the sources are newer than the last build, as `npm start` does. */
export async function build(): Promise<void> {
  await promisify(execFile)(process.execPath, [path.join(ROOT, 'scripts/run.mjs'), 'cli', '--help']);
}

/** The built service, as an operator starts it, with nothing of this process's environment. `main` is that of another version. */
export function runBuilt(variables: Record<string, string>, main = MAIN): BuiltService {
  const child = spawn(process.execPath, [main], {
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

/** One that listens, on a port that the system chose; `url` says where. It limits nothing and stops quickly. */
export async function runListening(
  variables: Record<string, string>,
  main?: string,
): Promise<BuiltService & { readonly url: string }> {
  const quick = { PORT: '0', THROTTLE_LIMIT: '0', THROTTLE_USER_LIMIT: '0', SHUTDOWN_TIMEOUT: '2' };
  const service = runBuilt({ ...quick, ...variables }, main);
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

/** Ends all that still run, as after each test. */
export async function killBuilt(): Promise<void> {
  for (const { child, ended } of running) {
    child.kill('SIGKILL');
    await ended;
  }
  running.clear();
}

/** The options by which Node.js runs code before the service. */
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
