import { pino } from 'pino';
import { Lifecycle } from './health/lifecycle.js';
import type { ConnectionDrain } from '../http/wire/connection-drain.js';
import { stopOnSignal } from './stop-on-signal.js';
import { eventually } from '../../test/support/eventually.js';

afterEach(() => jest.restoreAllMocks());

it('a server that stops closes everything, and ends with status 1 if closing fails', async () => {
  const ended: unknown[] = [];
  jest.spyOn(process, 'exit').mockImplementation((code) => ended.push(code) as never);
  const closed: string[] = [];
  const close = (name: string) => () => {
    closed.push(name);
    return name === 'good' ? Promise.resolve() : Promise.reject(new Error(name));
  };
  const logged: string[] = [];
  const logger = pino({ level: 'error' }, { write: (line) => logged.push(JSON.parse(line).err.message) });
  const connections = { end: close('connections') } as unknown as ConnectionDrain;
  const before = process.listeners('SIGINT');
  const timers = jest.spyOn(global, 'setTimeout');
  stopOnSignal(
    { shutdownTimeout: 60 },
    {
      ...{
        http: { lifecycle: new Lifecycle(), connections },
        closing: [close('bad'), close('good')],
        logger,
      },
      interruption: new AbortController().signal,
    },
  );
  const added = process.listeners('SIGINT').filter((listener) => !before.includes(listener));
  process.emit('SIGINT', 'SIGINT');
  await eventually('the process ends', () => ended.length > 0);
  expect({ ended, closed, logged }).toEqual({
    ended: [1],
    closed: ['connections', 'bad', 'good'],
    logged: ['connections', 'bad'],
  });
  for (const listener of added) process.off('SIGINT', listener);
  // Clears the timer that ends the process after SHUTDOWN_TIMEOUT.
  for (const { value } of timers.mock.results) clearTimeout(value as NodeJS.Timeout);
});
