import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { eventually } from './eventually.js';

/** The text that the tests' scanner detects as a virus. */
export const VIRUS = 'FORMTRAIL-TEST-VIRUS';

/** Whether Debian's clamav-daemon is installed. */
export const hasClamd = spawnSync('clamd', ['--version']).status === 0;

/** Starts clamd on a socket, with a signature for {@link VIRUS} only. */
export async function clamdWithVirus() {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'formtrail-clamd-'));
  // If clamd is started by root, it changes to another user, which must be able to write here.
  await chmod(directory, 0o777);
  await mkdir(path.join(directory, 'db'));
  await writeFile(
    path.join(directory, 'db/test.ndb'),
    `Formtrail.Test:0:*:${Buffer.from(VIRUS).toString('hex')}\n`,
  );
  const socket = path.join(directory, 'clamd.sock');
  const configuration = path.join(directory, 'clamd.conf');
  await writeFile(
    configuration,
    `Foreground yes\nLocalSocket ${socket}\nDatabaseDirectory ${directory}/db\nTemporaryDirectory ${directory}
StreamMaxLength 26M\nAlertExceedsMax yes\nUser ${os.userInfo().username}\n`,
  );
  let child: ChildProcess | undefined;
  const stop = async () => {
    if (child?.exitCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'close');
    await rm(socket, { force: true });
  };
  return {
    url: `unix://${socket}`,
    start: async () => {
      child = spawn('clamd', ['--config-file', configuration], { stdio: 'ignore' });
      await eventually('clamd listens', () => existsSync(socket), 60_000);
    },
    stop,
    remove: async () => {
      await stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
