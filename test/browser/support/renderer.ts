import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { serveFolder, type StaticServer } from './static-server.js';

/** Serves examples/renderer as static files, like a deployment. Builds it if its sources have changed since the last build. */
export async function startRenderer(): Promise<StaticServer> {
  await promisify(execFile)(process.execPath, [path.join(__dirname, 'build-renderer.mjs')]);
  return serveFolder(path.resolve(__dirname, '../../../examples/renderer/dist'));
}
