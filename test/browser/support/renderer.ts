import { execFile } from 'node:child_process';
import { mkdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { existsSync } from 'node:fs';
import { eventually } from '../../support/eventually.js';
import { testServer } from '../../support/test-server.js';
import { serveFolder, type StaticServer } from './static-server.js';

const ROOT = path.resolve(__dirname, '../../..');
/** Milliseconds to wait for the build, enough for a busy machine. */
const BUILD_PATIENCE = 120_000;

/** Serves examples/renderer as static files, like a deployment. */
export async function startRenderer(): Promise<StaticServer> {
  return serveFolder(await buildOnce());
}

/** The first test file that needs the renderer builds it. */
async function buildOnce(): Promise<string> {
  const run = path.join(testServer().folder, 'renderer');
  const built = path.join(run, 'built');
  const isFirst = (await mkdir(run, { recursive: true })) !== undefined;
  if (isFirst) {
    const unfinished = path.join(run, 'unfinished');
    const build = ['run', '--silent', 'build', '-w', 'examples/renderer', '--', '--outDir', unfinished];
    await promisify(execFile)('npm', build, { cwd: ROOT });
    await rename(unfinished, built);
  }
  await eventually('the renderer is built', () => existsSync(built), BUILD_PATIENCE);
  return built;
}
