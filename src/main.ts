import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { useV8Options } from './process/v8-options.js';

useV8Options();

// The build writes this file to dist/src/main.js.
const packageRoot = path.resolve(fileURLToPath(import.meta.url), '../../..');
const { run } = await import('./cli/run.js');

process.exitCode = await run([...process.argv.slice(0, 2), 'serve'], packageRoot);
