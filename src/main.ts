import 'reflect-metadata';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { StartError } from './config/environment.js';
import { serve } from './serve.js';

// dist/src/main.js
const packageRoot = path.resolve(fileURLToPath(import.meta.url), '../../..');

try {
  await serve(process.env, packageRoot);
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  process.stderr.write(`formtrail: ${error.message}\n`);
  process.exitCode = 1;
}
