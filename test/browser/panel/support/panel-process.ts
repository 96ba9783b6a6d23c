import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from '../../../support/eventually.js';

const START = path.resolve(__dirname, '../../../../examples/panel/start.mjs');
/** Milliseconds to wait for the start, which builds the service and installs the panel's packages if needed. */
const PATIENCE = 280_000;

export const EMAIL = 'operator@example.org';
export const PASSWORD = 'a long password of the test';

export interface PanelProcess {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts examples/panel like `npm run panel` does. */
export async function startPanel(
  databaseUrl: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<PanelProcess> {
  // Panels of other test files run at the same time, and AdminJS writes its bundle of components when it starts.
  const bundles = await mkdtemp(path.join(tmpdir(), 'formtrail-panel-'));
  const child = spawn(process.execPath, [START], {
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      ADMIN_JS_TMP_DIR: bundles,
      DATABASE_URL: databaseUrl,
      PANEL_PORT: '0',
      TRUST_PROXY: '127.0.0.1',
      PANEL_EMAIL: EMAIL,
      PANEL_PASSWORD: PASSWORD,
      ...variables,
    },
  });
  let said = '';
  child.stdout.on('data', (text: Buffer) => (said += text.toString()));
  child.stderr.on('data', (text: Buffer) => (said += text.toString()));
  const closed = once(child, 'close');
  const listening = () => {
    if (child.exitCode !== null) throw new Error(`The panel has ended: ${said}`);
    return /http:\S+(?=\/admin)/.exec(said)?.[0];
  };
  const url = await eventually('the panel listens', listening, PATIENCE);
  return {
    url,
    stop: async () => {
      child.kill();
      await closed;
      await rm(bundles, { recursive: true });
    },
  };
}
