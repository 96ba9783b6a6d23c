#!/usr/bin/env node
import 'reflect-metadata';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './cli/run.js';

// dist/src/cli.js
const packageRoot = path.resolve(fileURLToPath(import.meta.url), '../../..');

const status = await run(process.argv, packageRoot);
// A signal ends it even where output is on its way to somebody who has stopped taking it.
if (status > 128) process.exit(status);
process.exitCode = status;
