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
/** Milliseconds in which a busy machine has surely built it. */
const BUILD_PATIENCE = 120_000;

/** examples/renderer as it is deployed: files on a server that knows nothing of the service. */
export async function startRenderer(): Promise<StaticServer> {
  return serveFolder(await buildOnce());
}

/** By the first test file of the run that needs it, in a folder that the run's end removes. */
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

/** Where a run, known by the prefix of its databases, keeps what it built. */
export function builtRenderer(prefix: string): string {
  return path.join(tmpdir(), `${prefix}_renderer`);
}
