import cluster from 'node:cluster';
import v8 from 'node:v8';

/** The table in docs/operations.md, "Memory and CPU", has the reason for each option. */
export const V8_OPTIONS = [
  '--no-allocation-site-pretenuring',
  '--no-maglev',
  '--heap-growing-percent=20',
  '--max-semi-space-size=16',
];

/** Node.js releases on which V8 knows the options. Others would not start, or print an error, if V8 has dropped an option. */
const TESTED_RELEASES = /^2[024]\./;

/**
 * Gives this process the options of V8, however it was started. Call this before loading a program, because an option has
 * little effect on a heap that has grown. Where possible, Node.js replaces itself, keeping its process id and its standard
 * streams. Otherwise V8 gets the options while it runs.
 */
export function useV8Options(): void {
  const options = lackingOptions();
  if (options.length === 0 || !TESTED_RELEASES.test(process.versions.node)) return;
  const { execve, execPath, execArgv, argv, env } = process as typeof process & Execve;
  if (execve !== undefined && isReplaceable())
    execve(execPath, [execPath, ...options, ...execArgv, ...argv.slice(1)], env);
  for (const option of options) v8.setFlagsFromString(option);
}

/**
 * Returns the options that must be on the command line of Node.js to have their full effect, and are not. On Node.js 20,
 * options that V8 gets while it runs have the same effect.
 */
export function missingV8Options(): readonly string[] {
  return process.versions.node.startsWith('20.') ? [] : lackingOptions();
}

/** Windows cannot replace a process. A worker of a cluster would lose the channel to its primary. */
function isReplaceable(): boolean {
  return process.platform !== 'win32' && !cluster.isWorker;
}

/** Returns the options that neither the command line nor `NODE_OPTIONS` sets, to any value. */
function lackingOptions(): string[] {
  const given = [...process.execArgv, ...(process.env['NODE_OPTIONS'] ?? '').split(/\s+/)].map(nameOf);
  return V8_OPTIONS.filter((option) => !given.includes(nameOf(option)));
}

/** `--maglev`, `--no-maglev` and `--no_maglev` set the same option. */
const nameOf = (option: string) =>
  option
    .replaceAll('_', '-')
    .replace(/^--no-/, '--')
    .split('=')[0];

/** `execve` is in Node.js 22.15 and later. The types of the oldest supported release lack it. */
interface Execve {
  readonly execve?: (file: string, args: readonly string[], env: NodeJS.ProcessEnv) => never;
}
