import { once } from 'node:events';
import { within } from '../support/built-service.js';
import { eventually } from '../support/eventually.js';
import { openSocket } from '../support/raw.js';
import { Load, send } from './support/load.js';
import { newDrafts, type RunningService, startOn, useFaults } from './support/use-service.js';

const use = useFaults();

const READY = { method: 'GET', path: '/health/ready' };

const ended = ({ ended }: RunningService) => within(ended, 'the end');

/** Sends a signal, and resolves with the milliseconds until the process ends. Throws if the status is not 0. */
async function stop(service: RunningService, signal: NodeJS.Signals): Promise<number> {
  const toldAt = performance.now();
  service.child.kill(signal);
  expect(await ended(service)).toEqual({ code: 0, signal: null });
  return performance.now() - toldAt;
}

it('a rolling restart under load, with keep-alive connections, fails no request', async () => {
  const [old, young] = [await startOn(use, { SHUTDOWN_TIMEOUT: '10' }), await startOn(use)];
  const drafts = await newDrafts(use, old, 20);
  let target = old;
  const load = new Load({
    url: () => target.url,
    plainToken: use.plainToken,
    clients: 50,
    next: (client, count) =>
      count % 2 === 0
        ? { method: 'PATCH', path: drafts[client % drafts.length]!, body: { meta: { count } } }
        : { method: 'GET', path: drafts[client % drafts.length]! },
  });
  await eventually('the load is on', () => load.outcomes.length > 200);

  const stopped = stop(old, 'SIGTERM');
  // Imitates a load balancer, which uses another instance when the old instance is not ready.
  await eventually('not ready', async () => (await send(old, READY)).status === 503);
  const servedBefore = load.outcomes.length;
  await eventually('requests are still served', () => load.outcomes.length > servedBefore + 200);
  target = young;
  expect(await stopped).toBeLessThan(10_000);

  await load.stop();
  expect(Object.keys(load.summary)).toEqual(['200']);
  expect(old.stderr + young.stderr).toBe('');
});

it('on SIGTERM it serves as before, then rejects new connections and closes the others after one more response', async () => {
  const service = await startOn(use, { SHUTDOWN_TIMEOUT: '6' });
  const load = new Load({
    ...service,
    clients: 20,
    next: () => ({ method: 'GET', path: '/api/v1/forms' }),
  });
  await eventually('the connections are used', () => load.outcomes.length > 40);
  const stopped = stop(service, 'SIGTERM');
  await eventually('not ready', async () => (await send(service, READY)).status === 503);
  const { length } = load.outcomes;
  expect((await send(service, { method: 'GET', path: '/api/v1/forms' })).status).toBe(200);
  await eventually('nobody is let in', () =>
    load.outcomes.some(({ error }) => error?.code === 'ECONNREFUSED'),
  );
  await load.stop();
  // A rejected connection has sent no request, so every sent request must have its response.
  const answered = load.outcomes.slice(length).filter(({ error }) => error?.code !== 'ECONNREFUSED');
  expect(answered.filter(({ status }) => status !== 200)).toEqual([]);
  expect(answered.filter(({ headers }) => headers?.['connection'] === 'close')).toHaveLength(20);
  expect(await stopped).toBeLessThan(6_000);
});

describe('a client that never finishes its request', () => {
  async function startRequest(service: RunningService) {
    const socket = await openSocket(service.url);
    socket.on('error', () => undefined);
    socket.write('POST /api/v1/submissions HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n');
    socket.write(`Authorization: Bearer ${use.plainToken}\r\n`);
    socket.write('Content-Type: application/json\r\nContent-Length: 100\r\n\r\n');
    // The first bytes are "100 Continue", so the head of the request has arrived.
    await once(socket, 'data');
    return socket;
  }

  it('delays the end only until SHUTDOWN_TIMEOUT', async () => {
    const service = await startOn(use, { SHUTDOWN_TIMEOUT: '3', LOG_LEVEL: 'warn' });
    await startRequest(service);
    const took = await stop(service, 'SIGTERM');
    expect(took).toBeGreaterThan(2_900);
    expect(took).toBeLessThan(4_000);
    expect(service.stdout).toContain('ends before all requests have finished');
  });

  it('does not delay the end after a second signal, except one within a second, which npm may have forwarded', async () => {
    const service = await startOn(use, { SHUTDOWN_TIMEOUT: '60', LOG_LEVEL: 'info' });
    await startRequest(service);
    service.child.kill('SIGINT');
    await eventually('it is stopping', () => service.stdout.includes('"stopping"'));
    const first = performance.now();
    service.child.kill('SIGINT');
    await eventually('a second signal ends it', () => {
      service.child.kill('SIGINT');
      return service.child.exitCode !== null;
    });
    expect(performance.now() - first).toBeGreaterThan(900);
    expect(await ended(service)).toEqual({ code: 1, signal: null });
  });
});

it('Ctrl-C ends it at once if no request is in flight', async () => {
  const service = await startOn(use);
  expect((await send(service, READY)).status).toBe(200);
  expect(await stop(service, 'SIGINT')).toBeLessThan(2_500);
});
