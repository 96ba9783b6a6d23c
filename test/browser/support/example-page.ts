import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { eventually } from '../../support/eventually.js';

const ROOT = path.resolve(__dirname, '../../..');

export interface ExamplePage {
  readonly url: string;
  close(): Promise<void>;
}

/** Runs the program of `npm run example`, for a service of which the page gets no token. */
export async function startExamplePage(serviceUrl: string): Promise<ExamplePage> {
  const example = spawn(process.execPath, ['examples/page/serve.mjs', '--port', '0'], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], FORMTRAIL_URL: serviceUrl, FORMTRAIL_TOKEN: 'none' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  example.stdout.on('data', (text: Buffer) => (output += text.toString()));
  const link = () => /http:\/\/127\.0\.0\.1:\d+(?=\/#)/.exec(output)?.[0];
  return {
    url: await eventually('it prints a link', link, 120_000),
    close: async () => {
      example.kill('SIGINT');
      if (example.exitCode === null) await once(example, 'exit');
    },
  };
}
