import { execFile } from 'node:child_process';
import { mkdir, rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
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

/** The first test file that needs the renderer builds it. The global teardown removes the folder. */
async function buildOnce(): Promise<string> {
  const run = builtRenderer(testServer().prefix);
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

/** The folder of a run's build. `prefix` is the prefix of the run's databases. */
export function builtRenderer(prefix: string): string {
  return path.join(tmpdir(), `${prefix}_renderer`);
}
