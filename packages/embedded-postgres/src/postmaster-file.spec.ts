import { existsSync } from 'node:fs';
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import {
  discardEmptyPostmasterFile,
  isServerProcess,
  parsePostmasterFile,
  processExists,
  readPostmasterFile,
} from './postmaster-file.js';

describe('parsePostmasterFile', () => {
  it.each([
    ['a server that is starting', '4711\n/d\n1795259055\n5432\n', { pid: 4711, port: 5432 }],
    [
      'a server on a socket',
      '4711\n/d\n1795259055\n5432\n/run/x\n\n  2213486    131107\nready   \n',
      { pid: 4711, port: 5432, socketDirectory: '/run/x' },
    ],
    [
      'a server on TCP, with the line ends of Windows',
      '4711\r\nC:/d\r\n1795259055\r\n6000\r\n\r\n127.0.0.1\r\n',
      { pid: 4711, port: 6000, listenAddress: '127.0.0.1' },
    ],
    ['single-user mode', '-4711\n/d\n1795259055\n', { pid: 4711 }],
    ['an empty file', '', undefined],
    ['something else', 'postgres\n', undefined],
  ])('reads %s', (_, text, expected) => {
    expect(parsePostmasterFile(text)).toEqual(expected);
  });
});

describe('postmaster.pid', () => {
  let cluster: string;
  beforeEach(async () => (cluster = await mkdtemp(path.join(os.tmpdir(), 'formtrail-spec-'))));
  afterEach(() => rm(cluster, { recursive: true }));

  it('is undefined if no server runs', async () => {
    expect(await readPostmasterFile(cluster)).toBeUndefined();
    expect(await readPostmasterFile(path.join(cluster, 'missing'))).toBeUndefined();
  });

  it.each([
    ['new and empty', '', new Date(), true],
    ['old and empty', '', 0, false],
    ['old', '4711\n', 0, true],
  ])('is kept or removed if it is %s', async (_, text, time, isKept) => {
    const file = path.join(cluster, 'postmaster.pid');
    await writeFile(file, text);
    await utimes(file, time, time);
    await discardEmptyPostmasterFile(cluster);
    expect(existsSync(file)).toBe(isKept);
  });

  it('may name a process that is not a server of the cluster', async () => {
    expect(processExists(process.pid)).toBe(true);
    expect(await isServerProcess(cluster, process.pid)).toBe(false);
    // Above the largest pid of Linux.
    expect(processExists(2 ** 22 + 1)).toBe(false);
    expect(await isServerProcess(cluster, 2 ** 22 + 1)).toBe(false);
  });
});
