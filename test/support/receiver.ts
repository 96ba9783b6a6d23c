import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: {
    type: string;
    timestamp: string;
    data: { form: any; submission: any; truncated: boolean };
  };
}

/** Starts a receiver of webhooks, which responds with 204 unless a test replaces `respond`. */
export async function startReceiver() {
  const received: Received[] = [];
  const receiver = {
    url: '',
    received,
    respond: (response: ServerResponse): void => {
      response.writeHead(204).end();
    },
    /** Verifies a webhook with the library of Standard Webhooks. Throws if the signature does not match the secret. */
    verify: (secret: string, { text, headers }: Received) =>
      new Webhook(secret).verify(text, headers as Record<string, string>),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      received.push({ headers: request.headers, text: body, body: JSON.parse(body) as Received['body'] });
      receiver.respond(response);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return receiver;
}
