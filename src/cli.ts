#!/usr/bin/env node
import nodeModule from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const [, , group, command] = process.argv;
if (group !== 'serve' && !(group === 'webhooks' && command === 'deliver')) {
  // Node.js 22.1 and later cache the compiled code of a command for the next one. In a server the cache would take 11 MiB (ADR 5).
  const { enableCompileCache } = nodeModule as { readonly enableCompileCache?: () => unknown };
  enableCompileCache?.();
}

// The build writes this file to dist/src/cli.js.
const packageRoot = path.resolve(fileURLToPath(import.meta.url), '../../..');
const { run } = await import('./cli/run.js');

const status = await run(process.argv, packageRoot);
// After a signal, exit even if output is pending, because the reader of the output may have stopped reading.
if (status > 128) process.exit(status);
process.exitCode = status;
