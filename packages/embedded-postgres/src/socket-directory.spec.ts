import { chmod, mkdtemp, realpath, rm, stat, symlink } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { prepareSocketDirectory, removeSocketDirectory, socketPathFits } from './socket-directory.js';

const self = { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 };

describe('socketPathFits', () => {
  it.each<[number, NodeJS.Platform, string, boolean]>([
    [92, 'linux', 'a', true],
    [93, 'linux', 'a', false],
    [91, 'linux', 'ä', true],
    [93, 'linux', 'ä', false],
    [88, 'darwin', 'a', true],
    [89, 'darwin', 'a', false],
  ])('a directory of %d bytes on %s, consisting of %s: %s', (bytes, platform, letter, fits) => {
    const directory = '/' + letter.repeat((bytes - 1) / Buffer.byteLength(letter));
    expect(socketPathFits(directory, platform)).toBe(fits);
  });
});

describe('prepareSocketDirectory', () => {
  let deep: string;
  let made: string | undefined;
  beforeEach(async () => {
    const base = await realpath(await mkdtemp(path.join(os.tmpdir(), 'formtrail-spec-')));
    deep = path.join(base, 'x'.repeat(100));
  });
  afterEach(async () => {
    if (made !== undefined) await rm(made, { recursive: true, force: true });
    await rm(path.dirname(deep), { recursive: true });
  });

  it('returns the cluster if the path fits', async () => {
    await expect(prepareSocketDirectory('/srv/postgres', self)).resolves.toBe('/srv/postgres');
  });

  it('otherwise returns a private directory, the same for all processes, and resets its mode', async () => {
    made = await prepareSocketDirectory(deep, self);
    expect(socketPathFits(made)).toBe(true);
    await chmod(made, 0o777);
    await expect(prepareSocketDirectory(deep, self)).resolves.toBe(made);
    const { mode, uid } = await stat(made);
    expect([mode & 0o777, uid]).toEqual([0o700, self.uid]);
    await removeSocketDirectory(made);
    await expect(stat(made)).rejects.toThrow('ENOENT');
  });

  it('rejects a symbolic link in place of the directory', async () => {
    made = await prepareSocketDirectory(deep, self);
    await removeSocketDirectory(made);
    await symlink(os.tmpdir(), made);
    await expect(prepareSocketDirectory(deep, self)).rejects.toThrow('belongs to another user');
  });
});
