#!/usr/bin/env node
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './cli/run.js';

// The build writes this file to dist/src/cli.js.
const packageRoot = path.resolve(fileURLToPath(import.meta.url), '../../..');
const status = await run(process.argv, packageRoot);
// After a signal, exit even if output is pending, because the reader of the output may have stopped reading.
if (status > 128) process.exit(status);
process.exitCode = status;
