import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import { Metrics } from './metrics.js';

/** Serves `/metrics` on a port of its own, to whoever can reach it; rejects where it cannot listen. */
export async function startMetrics(version: string, port: number, host: string) {
  const metrics = new Metrics(version);
  const server = createServer((request, response) => {
    void answer(metrics.registry, request, response);
  }).listen(port, host);
  await once(server, 'listening');
  const { address, family, port: taken } = server.address() as AddressInfo;
  return {
    metrics,
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}/metrics`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(registry: Registry, { method, url }: IncomingMessage, response: ServerResponse) {
  const isKnown = (method === 'GET' || method === 'HEAD') && url?.split('?', 1)[0] === '/metrics';
  if (!isKnown) {
    refuse(response, 404, 'There is nothing here but GET /metrics.');
    return;
  }
  try {
    const text = await registry.metrics();
    response.setHeader('Content-Type', registry.contentType).end(text);
  } catch (error) {
    refuse(response, 500, `The metrics cannot be read: ${(error as Error).message}`);
  }
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response
    .writeHead(status, { 'Content-Type': 'application/json; charset=utf-8' })
    .end(JSON.stringify({ message }));
}
