import { connect } from 'node:net';
import {
  isConnectionBroken,
  isConnectionLost,
  isDatabaseUnavailable,
  isForeignKeyViolation,
  isWorkerLost,
  isWorkerUnreached,
} from './database-errors.js';

const withCode = (code: string, message = 'something happened') =>
  Object.assign(new Error(message), { code });

describe('E2: errors after which a later retry may succeed', () => {
  it.each([
    ['08000', 'connection exception'],
    ['08001', 'unable to establish the connection'],
    ['08003', 'connection does not exist'],
    ['08004', 'the server rejected the connection'],
    ['08006', 'connection failure'],
    ['08P01', 'protocol violation'],
    ['53100', 'disk full'],
    ['53200', 'out of memory'],
    ['53300', 'too many connections'],
    ['57P01', 'the administrator stops the server'],
    ['57P02', 'another process of the server crashed'],
    ['57P03', 'the server is starting'],
    ['57P05', 'an idle session was ended'],
    ['57014', 'the query was cancelled'],
    ['40P01', 'a deadlock'],
    ['40001', 'a serialization failure'],
    ['55P03', 'a lock that was not available in time'],
    ['25006', 'the server is read-only, because it has become a replica'],
    ['25P03', 'a transaction that was idle for too long'],
    ['ECONNREFUSED', 'nobody listens'],
    ['ECONNRESET', 'the connection was reset'],
    ['ECONNABORTED', 'the connection was aborted'],
    ['EPIPE', 'the other side has closed the connection'],
    ['ETIMEDOUT', 'no response'],
    ['EHOSTUNREACH', 'the host is unreachable'],
    ['ENETUNREACH', 'the network is unreachable'],
    ['ENOTFOUND', 'no such host name'],
    ['EAI_AGAIN', 'the name server does not respond'],
  ])('%s: %s', (code) => {
    expect(isDatabaseUnavailable(withCode(code))).toBe(true);
  });

  it.each([
    'Connection terminated',
    'Connection terminated unexpectedly',
    'Connection terminated due to connection timeout',
    'Query read timeout',
    'timeout exceeded when trying to connect',
    'timeout expired',
    'Client has encountered a connection error and is not queryable',
    'Client was closed and is not queryable',
  ])('an error of pg without a code: %s', (message) => {
    expect(isDatabaseUnavailable(new Error(message))).toBe(true);
  });

  it.each([
    'failure on connection marked as essential: 10.0.3.2:5432',
    'could not commit transaction for shard 102033 on at least one active node',
    'SSL SYSCALL error: EOF detected\ninvalid socket',
    'server closed the connection unexpectedly\n\tThis probably means the server terminated abnormally',
  ])('an internal error of Citus about a lost worker: %s', (message) => {
    expect(isDatabaseUnavailable(withCode('XX000', message))).toBe(true);
  });

  const worker = 'connection to the remote node formtrail@10.0.3.2:5432 failed with the following error: ';

  it.each([
    `${worker}Connection refused\n\tIs the server running on that host and accepting TCP/IP connections?`,
    `${worker}No route to host\n\tIs the server running on that host and accepting TCP/IP connections?`,
    `${worker}connection to server at "10.0.3.2", port 5432 failed: Connection refused`,
    `${worker}could not translate host name "worker-1" to address: Name or service not known`,
    `${worker}timeout expired`,
    `${worker}FATAL:  the database system is starting up`,
    'could not establish any connections to the node 10.0.3.2:5432 after 1000 ms',
  ])(
    'Citus could not reach a worker, so nothing was written, and our connection is intact: %s',
    (message) => {
      const error = withCode('08006', message);
      expect(isDatabaseUnavailable(error)).toBe(true);
      expect(isWorkerLost(error)).toBe(true);
      expect(isWorkerUnreached(error)).toBe(true);
      expect(isConnectionBroken(error)).toBe(false);
    },
  );

  it.each([
    `${worker}server closed the connection unexpectedly\n\tThis probably means the server terminated abnormally`,
    `${worker}FATAL:  terminating connection due to administrator command\nserver closed the connection unexpectedly`,
    `${worker}could not receive data from server: Connection timed out`,
    `${worker}SSL SYSCALL error: EOF detected`,
    `${worker}connection not open`,
    'failure on connection marked as essential: 10.0.3.2:5432',
  ])('Citus lost a worker, which may have committed: %s', (message) => {
    const error = withCode('08006', message);
    expect(isWorkerLost(error)).toBe(true);
    expect(isWorkerUnreached(error)).toBe(false);
    expect(isConnectionBroken(error)).toBe(true);
  });

  it.each(['Connection terminated unexpectedly', 'connect ECONNREFUSED 127.0.0.1:5432'])(
    'the coordinator was lost, not a worker: %s',
    (message) => {
      const error = withCode('ECONNREFUSED', message);
      expect(isWorkerLost(error)).toBe(false);
      expect(isConnectionBroken(error)).toBe(true);
    },
  );

  it('an outdated plan on a worker after a migration, which only the message shows', () => {
    expect(isDatabaseUnavailable(withCode('0A000', 'cached plan must not change result type'))).toBe(true);
    expect(isDatabaseUnavailable(withCode('0A000'))).toBe(false);
  });

  it.each(['ENOENT', 'EACCES'])('%s when connecting to a socket', (code) => {
    const error = Object.assign(withCode(code), { syscall: 'connect' });
    expect(isDatabaseUnavailable(error)).toBe(true);
  });

  it('failed attempts to connect to several addresses', () => {
    const errors = [withCode('ECONNREFUSED'), withCode('ECONNREFUSED')];
    expect(isDatabaseUnavailable(new AggregateError(errors))).toBe(true);
  });

  it("Node's error of a rejected connection", async () => {
    const error = await new Promise<Error>((resolve) => {
      // No program listens on port 1.
      connect({ host: '127.0.0.1', port: 1 }).once('error', resolve);
    });
    expect(isDatabaseUnavailable(error)).toBe(true);
  });
});

describe('a lost connection', () => {
  it.each(['08006', '57P01', '25P03', 'ECONNRESET', 'ECONNREFUSED'])('%s', (code) => {
    expect(isConnectionLost(withCode(code))).toBe(true);
  });

  it('is also recognised by the message of pg', () => {
    expect(isConnectionLost(new Error('Connection terminated unexpectedly'))).toBe(true);
  });

  it.each(['40P01', '55P03', '57014', '53100', '25006', '23505'])(
    'is not indicated by an error that only rolls the statement back: %s',
    (code) => {
      expect(isConnectionLost(withCode(code))).toBe(false);
    },
  );
});

describe('errors after which a retry does not help', () => {
  it.each([
    ['23505', 'a duplicate key'],
    ['23503', 'a foreign key violation'],
    ['23514', 'a check violation'],
    ['22021', 'a character that cannot be stored'],
    ['22P02', 'text that is not an integer'],
    ['22003', 'a number out of range'],
    ['42601', 'a syntax error'],
    ['42P01', 'no such table'],
    ['28P01', 'a wrong password'],
    ['3D000', 'no such database'],
    ['XX000', 'an internal error'],
    ['ENOENT', 'a file that is missing'],
    ['ERR_INVALID_ARG_TYPE', 'an error of the program'],
    ['FST_ERR_BAD_URL', 'an error of the request'],
  ])('%s: %s', (code) => {
    expect(isDatabaseUnavailable(withCode(code))).toBe(false);
  });

  it.each<[string, unknown]>([
    ['an error without a code', new Error('something else')],
    ['a bug of the program', new TypeError("Cannot read properties of undefined (reading 'x')")],
    ['several errors that are not temporary', new AggregateError([withCode('23505')])],
    ['an AggregateError without errors', new AggregateError([])],
    ['a string', 'ECONNREFUSED'],
    ['null', null],
    ['undefined', undefined],
  ])('%s', (_, error) => {
    expect(isDatabaseUnavailable(error)).toBe(false);
  });
});

describe('a foreign key violation', () => {
  it.each<[string, unknown, boolean]>([
    ['23503', withCode('23503'), true],
    ['another code', withCode('23505'), false],
    ['the code in a message', new Error('23503'), false],
    ['undefined', undefined, false],
  ])('%s', (_, error, expected) => {
    expect(isForeignKeyViolation(error)).toBe(expected);
  });
});
