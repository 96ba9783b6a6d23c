// Loaded into the service by --import. Serves the longest delay of the event loop on STOPS_PORT.
import { createServer } from 'node:http';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();

/** Returns the milliseconds of a fixed amount of work, so that delays on different machines can be compared. */
function calibrate() {
  const start = performance.now();
  let sum = 0;
  for (let index = 0; index < 50_000_000; index += 1) sum = (sum * 31 + index) | 0;
  return performance.now() - start + (sum === 0 ? 1 : 0);
}

const REPLIES = {
  '/reset': () => delay.reset(),
  '/longest': () => delay.max / 1e6,
  '/calibrate': calibrate,
};

createServer((request, response) => response.end(JSON.stringify(REPLIES[request.url]?.() ?? null)))
  .listen(Number(process.env.STOPS_PORT), '127.0.0.1')
  .unref();
