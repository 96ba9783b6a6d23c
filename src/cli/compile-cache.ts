import nodeModule from 'node:module';
import type { Command } from 'commander';

/** Commands that run until a signal. In them the cache would take 11 MiB (ADR 5). */
const LONG_RUNNING = new WeakSet<Command>();

export function runsLong(command: Command): Command {
  LONG_RUNNING.add(command);
  return command;
}

/** Lets Node.js 22.1 and later cache the compiled code of a command for the next one. */
export function cacheCompiledCode(command: Command): void {
  if (LONG_RUNNING.has(command)) return;
  const { enableCompileCache } = nodeModule as { readonly enableCompileCache?: () => unknown };
  enableCompileCache?.();
}
