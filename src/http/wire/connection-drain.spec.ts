import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ConnectionDrain } from './connection-drain.js';

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

it('releases a request and its response once the response is sent, even if the connection stays open', async () => {
  const seen: WeakRef<object>[] = [];
  const server = http.createServer((request, response) => {
    seen.push(new WeakRef(request), new WeakRef(response));
    request.resume();
    response.end('{}');
  });
  const drain = new ConnectionDrain(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const agent = new http.Agent({ keepAlive: true });
  const sendRequest = () =>
    new Promise<void>((resolve, reject) => {
      http
        .get({ port, host: '127.0.0.1', agent }, (response) => response.resume().once('end', resolve))
        .once('error', reject);
    });
  try {
    await sendRequest();
    for (let round = 0; round < 20 && seen.some((one) => one.deref() !== undefined); round += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      collectGarbage();
    }
    expect(seen.map((one) => one.deref() !== undefined)).toEqual([false, false]);
    expect(Object.values(agent.freeSockets)).toHaveLength(1);
  } finally {
    agent.destroy();
    await drain.end(0);
  }
});
