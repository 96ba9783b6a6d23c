import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

/** The result of `bench/worst.mjs` for a request. */
interface Worst {
  readonly what: string;
  readonly status: number;
  /**
   * How long the event loop was blocked, as a share of the calibration loop. The least of five runs, because other work
   * on the machine only increases the time.
   */
  readonly leastStop: number;
  /** Median time of other users' requests meanwhile, as a share of the calibration loop. The least of five runs. */
  readonly leastOthers: number;
}

let directory: string;
let results: readonly Worst[];

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'formtrail-worst-'));
  const file = path.join(directory, 'results.json');
  const program = path.resolve(__dirname, '../../bench/run.mjs');
  const { DATABASE_URL, PATH } = process.env;
  await promisify(execFile)(process.execPath, [program, 'worst', '--pairs', '5', '--json', file], {
    env: { PATH, ...(DATABASE_URL && { BENCH_DATABASE_URL: DATABASE_URL }) },
  });
  ({ results } = JSON.parse(await readFile(file, 'utf8')) as { results: readonly Worst[] });
}, 120_000);
afterAll(() => rm(directory, { recursive: true, force: true }));

it('the worst legal request of each route blocks the process no longer than a loop of 50 million steps', () => {
  expect(results.length).toBeGreaterThan(15);
  expect(results.filter(({ leastStop }) => leastStop > 1)).toEqual([]);
});

it('small requests of other users take no longer than that loop meanwhile', () => {
  expect(results.filter(({ leastOthers }) => leastOthers > 1)).toEqual([]);
});

it('none of these requests causes a server error', () => {
  expect(results.filter(({ status }) => status >= 500)).toEqual([]);
});
