#!/usr/bin/env node
import 'reflect-metadata';
import nodeModule from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './cli/run.js';

// dist/src/cli.js
const packageRoot = path.resolve(fileURLToPath(import.meta.url), '../../..');

// Node.js 22.1 and later keep the compiled code of a command for the next one. A server would keep 11 MiB for it (ADR 5).
if (process.argv[2] !== 'serve') {
  const { enableCompileCache } = nodeModule as { readonly enableCompileCache?: () => unknown };
  enableCompileCache?.();
}

const status = await run(process.argv, packageRoot);
// A signal ends it even where output is on its way to somebody who has stopped taking it.
if (status > 128) process.exit(status);
process.exitCode = status;
