import {
  ConnectionError,
  isDatabaseUnavailable,
  UnreachedServerError,
} from '../../database/database-errors.js';
import { isUnreached, isWorkerLost, toDatabaseError, withUnknownOutcome } from './errors.js';

const withCode = (code: string, message = code) => Object.assign(new Error(message), { code });

const worker = 'connection to the remote node formtrail@10.0.3.2:5432 failed with the following error: ';

it.each([
  `${worker}Connection refused\n\tIs the server running on that host and accepting TCP/IP connections?`,
  `${worker}connection to server at "10.0.3.2", port 5432 failed: Connection refused`,
  `${worker}could not translate host name "worker-1" to address: Name or service not known`,
  `${worker}timeout expired`,
  `${worker}FATAL:  the database system is starting up`,
  'could not establish any connections to the node 10.0.3.2:5432 after 1000 ms',
])('Citus did not reach a worker, so nothing was written, and our connection is intact: %s', (message) => {
  const error = withCode('08006', message);
  expect(isWorkerLost(error)).toBe(true);
  expect(isUnreached(error)).toBe(true);
  expect(toDatabaseError(error, true)).toEqual(new UnreachedServerError(error, true));
});

// Some of these errors have the code of an internal error.
it.each([
  [
    '08006',
    `${worker}server closed the connection unexpectedly\n\tThis probably means the server terminated`,
  ],
  ['08006', `${worker}FATAL:  terminating connection due to administrator command`],
  ['08006', `${worker}could not receive data from server: Connection timed out`],
  ['08006', `${worker}SSL SYSCALL error: EOF detected`],
  ['08006', `${worker}connection not open`],
  ['XX000', 'failure on connection marked as essential: 10.0.3.2:5432'],
  ['XX000', 'could not commit transaction for shard 102033 on at least one active node'],
  ['XX000', 'SSL SYSCALL error: EOF detected\ninvalid socket'],
  ['XX000', 'server closed the connection unexpectedly\n\tThis probably means the server terminated'],
])('Citus lost a worker, which may have committed: %s, %s', (code, message) => {
  const error = withCode(code, message);
  expect(isWorkerLost(error)).toBe(true);
  expect(isUnreached(error)).toBe(false);
  expect(toDatabaseError(error, true)).toEqual(new ConnectionError(error));
});

it.each([
  ['the loss of the coordinator', withCode('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:5432')],
  ['an error that was converted before', new UnreachedServerError(new Error('timeout expired'), true)],
  ['a violated constraint', withCode('23503')],
])('%s stays as it is', (_, error) => {
  expect(isWorkerLost(error)).toBe(false);
  expect(toDatabaseError(error)).toBe(error);
});

it('if the coordinator was killed, the worker may have committed, and is not lost', () => {
  const error = withCode('XX000', 'postmaster was shut down, exiting');
  expect(isWorkerLost(error)).toBe(false);
  expect(toDatabaseError(error, true)).toEqual(new ConnectionError(error));
});

it('a cancelled statement may have been committed by the worker', () => {
  const error = withUnknownOutcome(withCode('57014'));
  expect(error).toMatchObject({ code: '40003' });
  expect(isDatabaseUnavailable(error)).toBe(true);
  expect(withUnknownOutcome(withCode('23503'))).toMatchObject({ code: '23503' });
});
