import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import { JSON_TYPE } from '../../http/headers/conditional-requests.js';
import type { Metrics } from './metrics.js';

/**
 * Serves `/metrics` on a separate port, without authentication. Rejects if the port cannot be opened. Also serves
 * `/health/live`, without reading the database, so that a process without an API has a liveness probe.
 */
export async function serveMetrics({ registry }: Metrics, port: number, host: string) {
  const server = createServer((request, response) => {
    void respond(registry, request, response);
  }).listen(port, host);
  await once(server, 'listening');
  const { address, family, port: boundPort } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${boundPort}/metrics`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function respond(registry: Registry, { method, url }: IncomingMessage, response: ServerResponse) {
  const path = method === 'GET' || method === 'HEAD' ? url?.split('?', 1)[0] : undefined;
  if (path === '/health/live') {
    sendJson(response, 200, { status: 'ok' });
    return;
  }
  if (path !== '/metrics') {
    sendJson(response, 404, { message: 'This port serves only GET /metrics and GET /health/live.' });
    return;
  }
  try {
    const text = await registry.metrics();
    response.setHeader('Content-Type', registry.contentType).end(text);
  } catch (error) {
    sendJson(response, 500, { message: `The metrics cannot be read: ${(error as Error).message}` });
  }
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': JSON_TYPE }).end(JSON.stringify(body));
}
