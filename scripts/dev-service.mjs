// A process of "npm run dev" that has loaded the large packages, and starts the service when it gets a message. Loading them takes most of
// the time of a start, so that the next process does it while the service runs.
import path from 'node:path';
import { root } from './build.mjs';

const LARGE = [
  ...['@nestjs/common', '@nestjs/core', '@nestjs/passport', '@nestjs/platform-fastify', '@nestjs/throttler'],
  ...['ajv', 'class-transformer', 'class-validator', 'jose', 'pg', 'pino', 're2js', 'reflect-metadata'],
  ...['typeorm', 'undici'],
];
for (const name of LARGE) await import(name);

process.once('message', () => void import(path.join(root, 'dist.dev/src/cli.js')));
// The parent process has ended.
process.once('disconnect', () => process.kill(process.pid, 'SIGINT'));
