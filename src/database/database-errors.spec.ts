import {
  ConnectionError,
  isConnectionBroken,
  isConnectionLost,
  isDatabaseUnavailable,
  isForeignKeyViolation,
  UnreachedServerError,
} from './database-errors.js';

const withCode = (code: string, message = 'something happened') =>
  Object.assign(new Error(message), { code });

describe('E2: errors after which a later retry may succeed', () => {
  it.each([
    ['08000', 'connection exception'],
    ['08006', 'connection failure'],
    ['08P01', 'protocol violation'],
    ['57P01', 'the administrator stops the server'],
    ['57P05', 'an idle session was ended'],
    ['25P03', 'a transaction that was idle for too long'],
    ['ECONNREFUSED', 'nobody listens'],
    ['ECONNRESET', 'the connection was reset'],
    ['EPIPE', 'the other side has closed the connection'],
    ['ETIMEDOUT', 'no response'],
    ['EHOSTUNREACH', 'the host is unreachable'],
    ['ENETUNREACH', 'the network is unreachable'],
    ['ENOTFOUND', 'no such host name'],
    ['EAI_AGAIN', 'the name server does not respond'],
  ])('%s: %s, so the connection is lost', (code) => {
    expect(isDatabaseUnavailable(withCode(code))).toBe(true);
    expect(isConnectionLost(withCode(code))).toBe(true);
  });

  it.each([
    ['53100', 'disk full'],
    ['53200', 'out of memory'],
    ['53300', 'too many connections'],
    ['57014', 'the query was cancelled'],
    ['40P01', 'a deadlock'],
    ['40001', 'a serialization failure'],
    ['55P03', 'a lock that was not available in time'],
    ['25006', 'the server is read-only, because it has become a replica'],
  ])('%s: %s, which only rolls the statement back', (code) => {
    expect(isDatabaseUnavailable(withCode(code))).toBe(true);
    expect(isConnectionLost(withCode(code))).toBe(false);
  });

  it.each([
    'Connection terminated unexpectedly',
    'Connection terminated due to connection timeout',
    'Query read timeout',
    'timeout exceeded when trying to connect',
    'timeout expired',
    'Client has encountered a connection error and is not queryable',
    'Client was closed and is not queryable',
  ])('an error of pg without a code: %s', (message) => {
    expect(isDatabaseUnavailable(new Error(message))).toBe(true);
    expect(isConnectionLost(new Error(message))).toBe(true);
  });

  it('another server that ours did not reach, while our connection is intact', () => {
    const error = new UnreachedServerError(new Error('no route'), false);
    expect(isConnectionLost(error)).toBe(true);
    expect(isConnectionBroken(error)).toBe(false);
    expect(isConnectionBroken(new ConnectionError(new Error('no route')))).toBe(true);
  });

  it('an outdated plan on another server after a migration, which only the message shows', () => {
    expect(isDatabaseUnavailable(withCode('0A000', 'cached plan must not change result type'))).toBe(true);
    expect(isDatabaseUnavailable(withCode('0A000'))).toBe(false);
  });

  it.each(['ENOENT', 'EACCES'])('%s when connecting to a socket, but not of another call', (code) => {
    expect(isDatabaseUnavailable(Object.assign(withCode(code), { syscall: 'connect' }))).toBe(true);
    expect(isDatabaseUnavailable(Object.assign(withCode(code), { syscall: 'open' }))).toBe(false);
  });

  it('failed attempts to connect to several addresses', () => {
    const errors = [withCode('ECONNREFUSED'), withCode('ECONNREFUSED')];
    expect(isDatabaseUnavailable(new AggregateError(errors))).toBe(true);
  });
});

describe('errors after which a retry does not help', () => {
  it.each<[string, unknown]>([
    ['a duplicate key', withCode('23505')],
    ['a foreign key violation', withCode('23503')],
    ['a character that cannot be stored', withCode('22021')],
    ['a syntax error', withCode('42601')],
    ['a wrong password', withCode('28P01')],
    ['no such database', withCode('3D000')],
    ['an internal error', withCode('XX000')],
    ['an error of the program', withCode('ERR_INVALID_ARG_TYPE')],
    ['an error of the request', withCode('FST_ERR_BAD_URL')],
    ['an error without a code', new Error('something else')],
    ['a bug of the program', new TypeError("Cannot read properties of undefined (reading 'x')")],
    ['several errors that are not temporary', new AggregateError([withCode('23505')])],
    ['an AggregateError without errors', new AggregateError([])],
    ['a string', 'ECONNREFUSED'],
    ['null', null],
    ['undefined', undefined],
  ])('%s', (_, error) => {
    expect(isDatabaseUnavailable(error)).toBe(false);
    expect(isConnectionLost(error)).toBe(false);
  });

  it('a foreign key violation is recognised by its code', () => {
    expect(isForeignKeyViolation(withCode('23503'))).toBe(true);
    for (const other of [withCode('23505'), new Error('23503'), undefined])
      expect(isForeignKeyViolation(other)).toBe(false);
  });
});
