import { dataDirectoryFailure, lastErrors, programFailure } from './embedded-postgres-error.js';
import { programEnvironment } from './run-program.js';
import { lostStartRace } from './server.js';
import { isTransient } from './usage-mark.js';

const logged = (text: string): string => `2026-11-21 10:58:50.886 UTC [10233] ${text}\n`;

describe('lastErrors', () => {
  it.each([
    [
      'includes lines that led to an error',
      logged('LOG:  starting') + logged('LOG:  unknown "x"') + logged('FATAL:  file contains errors'),
      'LOG:  unknown "x" | FATAL:  file contains errors',
    ],
    [
      'prefers errors to other lines',
      logged('FATAL:  no') + logged('HINT:  yes') + logged('LOG:  bye'),
      'FATAL:  no | HINT:  yes',
    ],
    ['returns the last lines if there are no errors', 'one\ntwo\n\nthree\nfour\n', 'two | three | four'],
    ['returns an empty text for empty output', '\n', ''],
  ])('%s', (_, output, expected) => {
    expect(lastErrors(output)).toBe(expected);
  });
});

describe('programFailure', () => {
  it.each([
    [
      'initdb: error: could not write file "x": No space left on device',
      'because the disk is full. Free some space',
    ],
    [
      'FATAL:  could not resize shared memory segment "/PostgreSQL.1": No space left on device',
      'PostgreSQL said: FATAL:  could not resize shared memory',
    ],
    [logged('FATAL:  invalid value'), 'PostgreSQL said: FATAL:  invalid value'],
    ['', 'PostgreSQL said: nothing'],
  ])('explains %j', (output, sentence) => {
    expect(programFailure('The database could not start', output).message).toContain(sentence);
  });
});

describe('dataDirectoryFailure', () => {
  it.each([
    ['EACCES', "can't be used by this user"],
    ['ENOSPC', 'is full'],
    ['ENOTDIR', 'is not a directory'],
    ['EIO', "can't be used: EIO"],
  ])('explains %s', (code, sentence) => {
    const error = Object.assign(new Error(`${code}: it went wrong`), { code });
    expect(dataDirectoryFailure('.data', error).message).toContain(sentence);
  });
});

describe('lostStartRace', () => {
  it.each([
    ['FATAL:  lock file "postmaster.pid" already exists', true],
    ['FATAL:  pre-existing shared memory block (key 1, ID 2) is still in use', true],
    ['LOG:  could not bind IPv4 address "127.0.0.1": Address already in use', true],
    ['FATAL:  could not create lock file "/tmp/x/.s.PGSQL.5432.lock": No such file or directory', true],
    ['FATAL:  could not create lock file "postmaster.pid": Permission denied', false],
    ['FATAL:  database files are incompatible with server', false],
  ])('of %j is %s', (output, lost) => {
    expect(lostStartRace(output)).toBe(lost);
  });
});

describe('isTransient', () => {
  const withCode = (code: string): Error => Object.assign(new Error('failed'), { code });
  it.each([
    ['nobody listens', withCode('ECONNREFUSED'), true],
    ['no socket', withCode('ENOENT'), true],
    ['the server is starting or stopping', withCode('57P03'), true],
    ['too many connections', withCode('53300'), true],
    ['the connection was lost', new Error('Connection terminated unexpectedly'), true],
    ["another user's socket", withCode('EACCES'), false],
    ['a query that was cancelled', withCode('57014'), false],
  ])('%s', (_, error, transient) => {
    expect(isTransient(error)).toBe(transient);
  });
});

describe('programEnvironment', () => {
  it("keeps the variables that programs need, and removes PostgreSQL's variables and secrets", () => {
    const environment = { PATH: '/bin', SystemRoot: 'C:', PGPORT: '1', DATABASE_URL: 'x', LANG: 'de_DE' };
    expect(programEnvironment(environment)).toEqual({ PATH: '/bin', SystemRoot: 'C:', LC_ALL: 'C' });
  });
});
