import { dataDirectoryFailure, lastComplaints, programFailure } from './embedded-postgres-error.js';
import { programEnvironment } from './run-program.js';
import { lostToAnotherServer } from './server.js';
import { isPassing } from './usage-mark.js';

const logged = (text: string): string => `2026-11-21 10:58:50.886 UTC [10233] ${text}\n`;

describe('lastComplaints', () => {
  it.each([
    [
      'takes what led to an error',
      logged('LOG:  starting') + logged('LOG:  unknown "x"') + logged('FATAL:  file contains errors'),
      'LOG:  unknown "x" | FATAL:  file contains errors',
    ],
    [
      'prefers the errors',
      logged('FATAL:  no') + logged('HINT:  yes') + logged('LOG:  bye'),
      'FATAL:  no | HINT:  yes',
    ],
    ['takes the last lines otherwise', 'one\ntwo\n\nthree\nfour\n', 'two | three | four'],
    ['is empty for nothing', '\n', ''],
  ])('%s', (_, output, expected) => {
    expect(lastComplaints(output)).toBe(expected);
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
    ['EROFS', "can't be used by this user"],
    ['ENOSPC', 'is full'],
    ['ENOTDIR', 'is not a directory'],
    ['EIO', "can't be used: EIO"],
  ])('explains %s', (code, sentence) => {
    const error = Object.assign(new Error(`${code}: it went wrong`), { code });
    expect(dataDirectoryFailure('.data', error).message).toContain(sentence);
  });
});

describe('lostToAnotherServer', () => {
  it.each([
    ['FATAL:  lock file "postmaster.pid" already exists', true],
    ['FATAL:  lock file "postmaster.pid" is empty', true],
    ['FATAL:  pre-existing shared memory block (key 1, ID 2) is still in use', true],
    ['LOG:  could not bind IPv4 address "127.0.0.1": Address already in use', true],
    ['FATAL:  could not create lock file "/tmp/x/.s.PGSQL.5432.lock": No such file or directory', true],
    ['FATAL:  could not create lock file "postmaster.pid": Permission denied', false],
    ['FATAL:  database files are incompatible with server', false],
  ])('judges %j', (output, lost) => {
    expect(lostToAnotherServer(output)).toBe(lost);
  });
});

describe('isPassing', () => {
  const withCode = (code: string): Error => Object.assign(new Error('failed'), { code });
  it.each([
    ['nobody listens', withCode('ECONNREFUSED'), true],
    ['no socket', withCode('ENOENT'), true],
    ['starting or stopping', withCode('57P03'), true],
    ['stopped under the session', withCode('57P01'), true],
    ['no slot left', withCode('53300'), true],
    ['cut off', new Error('Connection terminated unexpectedly'), true],
    ['wrong password', withCode('28P01'), false],
    ["another user's socket", withCode('EACCES'), false],
    ['a query that was cancelled', withCode('57014'), false],
  ])('%s', (_, error, passing) => {
    expect(isPassing(error)).toBe(passing);
  });
});

describe('programEnvironment', () => {
  it("keeps what programs need, and neither PostgreSQL's variables nor secrets", () => {
    const environment = { PATH: '/bin', SystemRoot: 'C:', PGPORT: '1', DATABASE_URL: 'x', LANG: 'de_DE' };
    expect(programEnvironment(environment)).toEqual({ PATH: '/bin', SystemRoot: 'C:', LC_ALL: 'C' });
  });
});
