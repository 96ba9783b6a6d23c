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

  type Log = (logger: ReturnType<typeof start>['logger'], turn: string) => void;
  it.each<[string, Log]>([
    ['the same text', (logger) => logger.warn('lost')],
    ['the same error', (logger) => logger.error(new Error('lost'))],
    ['the same error and text', (logger) => logger.error(new Error('lost'), 'closing failed')],
    ['the same text among the fields', (logger) => logger.warn({ context: 'Http', msg: 'lost' })],
    [
      'requests that differ in user, duration and submission',
      (logger, turn) =>
        logger.error(failed(turn, { user_id: turn, duration_ms: turn, submission_uuid: turn }), 'request'),
    ],
    ['long reasons', (logger, turn) => logger.warn({ reason: 'x'.repeat(200) + turn }, 'lost')],
    [
      'an unknown route',
      (logger, turn) => logger.info(failed(turn, { status: 404, route: null }), 'request'),
    ],
    ...[400, 401, 408, 413, 429, 431, 499].map((status): [string, Log] => [
      `requests with status ${status}`,
      (logger, turn) => logger.info(failed(turn, { status }), 'request'),
    ]),
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
  const differences: Line[] = [
    ...[{}, { method: 'PATCH' }, { route: '/api/v1/forms' }, { status: 500 }, { reason: 'ECONNREFUSED' }],
    ...[{ err: new Error('one') }, { err: new Error('two') }, { endpoint_id: 1 }, { endpoint_id: 2 }],
  ];
  logger.warn(failed('a'), 'request');
  logger.error(failed('a'), 'another message');
  for (const difference of differences) logger.error(failed('a', difference), 'request');
  expect(lines).toHaveLength(11);
});

it.each([200, 304, 404, 409, 422])('a request with status %i always gets a line', (status) => {
  const { logger, lines } = start();
  for (let request = 0; request < 20; request += 1) logger.info(failed('a', { status }), 'request');
  expect(lines).toHaveLength(20);
});

it('distinguishes 500 of 2,000 kinds in one second, and counts all lines', () => {
  const { logger, lines, repeated } = start();
  for (let kind = 0; kind < 2_000; kind += 1) {
    logger.error(failed(`id-${kind}`, { reason: `reason ${kind}` }), 'request');
    logger.warn(failed(`id-${kind}`, { reason: `reason ${kind}` }), 'request');
  }
  expect(lines).toHaveLength(500);
  repeated.flush();
  expect(lines.slice(500)).toEqual(
    [50, 40].map((level) => ({
      level,
      first_request_id: 'id-250',
      request_id: 'id-1999',
      repeated: 1_750,
      msg: expect.stringContaining('Too many kinds'),
    })),
  );
  expect(total(lines)).toBe(4_000);

  // A flush forgets each kind that got no new line since the last flush.
  repeated.flush();
  logger.error(failed('later', { reason: 'reason 1999' }), 'request');
  expect(lines.at(-1)).toMatchObject({ request_id: 'later', reason: 'reason 1999' });
});
