import { pino } from 'pino';
import { RepeatedLines } from './repeated-lines.js';

type Line = Record<string, unknown>;

function start() {
  const lines: Line[] = [];
  const repeated = new RepeatedLines();
  const logger = pino(
    {
      level: 'debug',
      base: null,
      timestamp: false,
      hooks: {
        logMethod(args, method, level) {
          repeated.log(this, args, method, level);
        },
      },
    },
    { write: (line) => void lines.push(JSON.parse(line) as Line) },
  );
  return { logger, lines, repeated };
}

const ROUTE = '/api/v1/submissions/:uuid';
const failed = (request_id: string, more: Line = {}) => ({
  request_id,
  method: 'GET',
  route: ROUTE,
  status: 503,
  ...more,
});
/** The number of lines that were logged, including lines that were only counted. */
const total = (lines: readonly Line[]) => lines.reduce((sum, { repeated }) => sum + Number(repeated ?? 1), 0);

describe('lines of one kind', () => {
  it('are written at once the first time, then once per flush, with their number and the first and last request id', () => {
    const { logger, lines, repeated } = start();
    for (const id of ['a', 'b', 'c', 'd']) logger.error(failed(id), 'request');
    expect(lines).toEqual([{ level: 50, ...failed('a'), msg: 'request' }]);

    repeated.flush();
    expect(lines.slice(1)).toEqual([
      { level: 50, ...failed('d'), first_request_id: 'b', repeated: 3, msg: 'request' },
    ]);

    for (const id of ['e', 'f']) logger.error(failed(id), 'request');
    expect(lines).toHaveLength(2);
    repeated.flush();
    expect(lines.slice(2)).toEqual([
      { level: 50, ...failed('f'), first_request_id: 'e', repeated: 2, msg: 'request' },
    ]);
  });

  it('are written unchanged if a flush finds only one', () => {
    const { logger, lines, repeated } = start();
    for (const id of ['a', 'b']) logger.warn(failed(id, { user_id: 7 }), 'request');
    repeated.flush();
    expect(lines).toEqual(
      ['a', 'b'].map((id) => ({ level: 40, ...failed(id, { user_id: 7 }), msg: 'request' })),
    );
  });

  it('are written at once again after a flush that found none', () => {
    const { logger, lines, repeated } = start();
    for (const id of ['a', 'b']) {
      logger.error(failed(id), 'request');
      expect(lines.at(-1)).toMatchObject({ request_id: id });
      repeated.flush();
    }
    expect(lines).toHaveLength(2);
  });

  it.each<[string, (logger: ReturnType<typeof start>['logger'], turn: string) => void]>([
    ['the same text', (logger) => logger.warn('lost')],
    ['the same error', (logger) => logger.error(new Error('lost'))],
    ['the same error and text', (logger) => logger.error(new Error('lost'), 'closing failed')],
    ['the same text among the fields', (logger) => logger.warn({ context: 'Http', msg: 'lost' })],
    [
      'requests that differ in user, duration and submission',
      (logger, turn) =>
        logger.error(failed(turn, { user_id: turn, duration_ms: turn, submission_uuid: turn }), 'request'),
    ],
    [
      'reasons that differ after 200 characters',
      (logger, turn) => logger.warn({ reason: 'x'.repeat(200) + turn }, 'lost'),
    ],
    [
      'malformed requests',
      (logger, turn) => logger.info(failed(turn, { status: 400, route: null }), 'request'),
    ],
    [
      'requests of an unknown route',
      (logger, turn) => logger.info(failed(turn, { status: 404, route: null }), 'request'),
    ],
    [
      'requests without a valid token',
      (logger, turn) => logger.info(failed(turn, { status: 401 }), 'request'),
    ],
    ['requests over the limit', (logger, turn) => logger.info(failed(turn, { status: 429 }), 'request')],
    [
      'clients that closed the connection',
      (logger, turn) => logger.info(failed(turn, { status: 499 }), 'request'),
    ],
  ])('are written once and then counted: %s', (_, log) => {
    const { logger, lines, repeated } = start();
    for (let turn = 0; turn < 50; turn += 1) log(logger, String(turn));
    expect(lines).toHaveLength(1);
    repeated.flush();
    expect(lines.slice(1)).toEqual([expect.objectContaining({ repeated: 49, msg: lines[0]!['msg'] })]);
  });
});

it('lines that differ in level, message, method, route, status, reason, error or endpoint are of different kinds', () => {
  const { logger, lines } = start();
  logger.error(failed('a'), 'request');
  logger.warn(failed('a'), 'request');
  logger.error(failed('a'), 'another message');
  logger.error(failed('a', { method: 'PATCH' }), 'request');
  logger.error(failed('a', { route: '/api/v1/forms' }), 'request');
  logger.error(failed('a', { status: 500 }), 'request');
  logger.error(failed('a', { reason: 'ECONNREFUSED' }), 'request');
  logger.error(failed('a', { err: new Error('one') }), 'request');
  logger.error(failed('a', { err: new Error('two') }), 'request');
  logger.error(failed('a', { endpoint_id: 1 }), 'request');
  logger.error(failed('a', { endpoint_id: 2 }), 'request');
  expect(lines).toHaveLength(11);
});

it.each([200, 201, 204, 304, 404, 409, 412, 422])('a request with status %i always gets a line', (status) => {
  const { logger, lines, repeated } = start();
  for (let request = 0; request < 20; request += 1) logger.info(failed('a', { status }), 'request');
  expect(lines).toHaveLength(20);
  repeated.flush();
  expect(lines).toHaveLength(20);
});

it('distinguishes 500 of 10,000 kinds in one second, and counts all lines', () => {
  const { logger, lines, repeated } = start();
  for (let kind = 0; kind < 10_000; kind += 1) {
    logger.error(failed(`id-${kind}`, { reason: `reason ${kind}` }), 'request');
    logger.warn(failed(`id-${kind}`, { reason: `reason ${kind}` }), 'request');
  }
  expect(lines).toHaveLength(500);
  repeated.flush();
  expect(lines.slice(500)).toEqual(
    [50, 40].map((level) => ({
      level,
      first_request_id: 'id-250',
      request_id: 'id-9999',
      repeated: 9_750,
      msg: expect.stringContaining('Too many kinds'),
    })),
  );
  expect(total(lines)).toBe(20_000);

  // A flush removes kinds without new lines.
  repeated.flush();
  logger.error(failed('later', { reason: 'reason 9999' }), 'request');
  expect(lines.at(-1)).toMatchObject({ request_id: 'later', reason: 'reason 9999' });
});
