import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './cli/run.js';

// The build writes this file to dist/src/main.js.
const packageRoot = path.resolve(fileURLToPath(import.meta.url), '../../..');
process.exitCode = await run([...process.argv.slice(0, 2), 'serve'], packageRoot);
