import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { BenchError } from './bench-error.mjs';
import { ROOT } from './root.mjs';

/** Default number of connections to all servers together. */
export const CONNECTIONS = 32;

/**
 * @typedef {object} Requests
 * @property {string} method
 * @property {string} body
 * @property {readonly string[]} paths requested one after another, repeatedly
 */

/**
 * @typedef {object} Measured
 * @property {number} requests that got a response
 * @property {number} non2xx the responses that were not 2xx
 * @property {number} seconds
 * @property {number} p50 in milliseconds
 * @property {number} p99 in milliseconds
 */

/** Returns wrk if it is installed, because wrk needs the least CPU. Otherwise returns autocannon. */
export async function loadGenerator() {
  const { stdout, stderr } = spawnSync('wrk', ['--version'], { encoding: 'utf8' });
  if (stdout) return { name: /^wrk \S+/.exec(stdout + stderr)[0], run: runWrk };
  try {
    const { default: autocannon } = await import('autocannon');
    return { name: 'autocannon', run: (...load) => runAutocannon(autocannon, ...load) };
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new BenchError('No load generator is installed. Install wrk, or run "npm ci --prefix bench".', {
      cause: error,
    });
  }
}

async function runWrk(url, headers, { method, body, paths }, seconds, connections) {
  const directory = await mkdtemp(path.join(tmpdir(), 'formtrail-bench-requests-'));
  try {
    const file = path.join(directory, 'requests');
    await writeFile(file, [method, body, ...paths].join('\n'));
    const { stdout } = await promisify(execFile)('wrk', [
      ...['-t', '1', '-c', String(connections), '-d', `${seconds}s`, '--timeout', '10s'],
      ...Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
      ...['-s', path.join(ROOT, 'bench/wrk.lua'), url, '--', file],
    ]);
    const { broken, ...measured } = JSON.parse(stdout.trim().split('\n').at(-1));
    return checked(measured, broken);
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function runAutocannon(autocannon, url, headers, { method, body, paths }, seconds, connections) {
  let turn = 0;
  const setupRequest = (request) => ({ ...request, path: paths[turn++ % paths.length] });
  const { requests, duration, latency, non2xx, errors } = await autocannon({
    ...{ url, headers, connections, duration: seconds },
    requests: [{ method, ...(body && { body }), setupRequest }],
  });
  const { p50, p99 } = latency;
  return checked({ requests: requests.total, non2xx, seconds: duration, p50, p99 }, errors);
}

/** @returns {Measured} */
function checked(measured, broken) {
  if (broken > 0) throw new BenchError(`${broken} requests were cut off or timed out.`);
  if (measured.requests === 0) throw new BenchError('No request got a response.');
  return measured;
}
