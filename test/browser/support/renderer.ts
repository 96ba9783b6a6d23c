import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rename } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { existsSync } from 'node:fs';
import { eventually } from '../../support/eventually.js';
import { testServer } from '../../support/test-server.js';

const ROOT = path.resolve(__dirname, '../../..');
/** Milliseconds in which a busy machine has surely built it. */
const BUILD_PATIENCE = 120_000;
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

export interface Renderer {
  readonly url: string;
  close(): Promise<void>;
}

/** examples/renderer as it is deployed: files on a server that knows nothing of the service. */
export async function startRenderer(): Promise<Renderer> {
  const folder = await buildOnce();
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const file = path.join(folder, pathname === '/' ? 'index.html' : path.normalize(pathname));
    readFile(file).then(
      (content) => response.setHeader('Content-Type', TYPES[path.extname(file)] ?? '').end(content),
      () => response.writeHead(404).end(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
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
