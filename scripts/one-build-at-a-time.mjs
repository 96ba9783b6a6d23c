import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds. The longest build is the panel's, which installs its packages. */
const WAIT_FOR_OTHER_BUILD = 300_000;

/** Creates the file `lock` while `build` runs, because parallel builds would overwrite each other's files. */
export async function oneBuildAtATime(lock, build) {
  await takeLock(lock);
  try {
    await build();
  } finally {
    rmSync(lock, { force: true });
  }
}

async function takeLock(lock) {
  let isFirstLook = true;
  for (const giveUpAt = Date.now() + WAIT_FOR_OTHER_BUILD; Date.now() < giveUpAt; await sleep(100)) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      return;
    } catch (error) {
      if (error.code !== 'EEXIST') fail(`Cannot build here: ${error.message}.`);
    }
    if (!isAlive(lock)) rmSync(lock, { force: true });
    else if (isFirstLook) process.stderr.write('Waiting for another build\n');
    isFirstLook = false;
  }
  fail(`Another build seems to be running. If none is, delete ${lock} and start again.`);
}

function isAlive(lock) {
  const pid = Number(readOr(lock, ''));
  // The lock file is empty for an instant after its creation. Its process is still alive then.
  if (!pid)
    return existsSync(lock) && Date.now() - statSync(lock, { throwIfNoEntry: false })?.mtimeMs < 1_000;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function readOr(file, fallback) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return fallback;
  }
}

function fail(sentence) {
  process.stderr.write(`formtrail: ${sentence}\n`);
  process.exit(1);
}
