import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import {
  discardEmptyPostmasterFile,
  isServerOf,
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
    await expect(readPostmasterFile(cluster)).resolves.toBeUndefined();
    await expect(readPostmasterFile(path.join(cluster, 'missing'))).resolves.toBeUndefined();
  });

  it('is removed if it is empty and old', async () => {
    const file = path.join(cluster, 'postmaster.pid');
    await writeFile(file, '');
    await discardEmptyPostmasterFile(cluster);
    await expect(readFile(file, 'utf8')).resolves.toBe('');
    await utimes(file, 0, 0);
    await discardEmptyPostmasterFile(cluster);
    await expect(readFile(file, 'utf8')).rejects.toThrow('ENOENT');
    await writeFile(file, '4711\n');
    await utimes(file, 0, 0);
    await discardEmptyPostmasterFile(cluster);
    await expect(readFile(file, 'utf8')).resolves.toBe('4711\n');
  });

  it('may name a process that is not a server of the cluster', async () => {
    const named = [process.execPath, '-e', 'process.stdin.resume()', '--', `postgres -D ${cluster}`];
    const pretender = spawn(named[0] ?? '', named.slice(1), { stdio: 'pipe' });
    const gone = new Promise((resolve) => pretender.on('exit', resolve));
    await new Promise((resolve) => pretender.on('spawn', resolve));
    const pid = pretender.pid ?? 0;
    expect(processExists(pid)).toBe(true);
    await expect(isServerOf('/elsewhere', pid)).resolves.toBe(false);
    await expect(isServerOf(cluster, process.pid)).resolves.toBe(false);
    pretender.stdin.end();
    await gone;
    expect(processExists(pid)).toBe(false);
    await expect(isServerOf(cluster, pid)).resolves.toBe(false);
  });
});
