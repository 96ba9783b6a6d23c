import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import { deferContinue } from './expect-continue.js';

describe('a client that sends Expect: 100-continue', () => {
  let server: FastifyInstance;
  let continued: boolean;

  beforeEach(async () => {
    server = fastify();
    server.addContentTypeParser('text/plain', (_request, payload, done) => done(null, payload));
    server.post('/rejected', (_request, reply) => reply.code(401).send('no'));
    server.post('/read', async ({ body }) => {
      let text = '';
      const stream = (body as IncomingMessage).on('data', (chunk: Buffer) => (text += chunk.toString()));
      await once(stream, 'end');
      return text;
    });
    deferContinue(server);
    await server.listen({ port: 0, host: '127.0.0.1' });
    continued = false;
  });
  afterEach(() => server.close());

  function post(path: string): ClientRequest {
    const { port } = server.server.address() as AddressInfo;
    const headers = { 'Content-Type': 'text/plain', 'Content-Length': 4, Expect: '100-continue' };
    const posted = request({ host: '127.0.0.1', port, path, method: 'POST', headers });
    posted.once('continue', () => {
      continued = true;
      posted.end('body');
    });
    posted.flushHeaders();
    return posted;
  }

  async function responseOf(posted: ClientRequest): Promise<{ status?: number | undefined; text: string }> {
    const [response] = (await once(posted, 'response')) as [IncomingMessage];
    let text = '';
    for await (const chunk of response) text += String(chunk);
    return { status: response.statusCode, text };
  }

  it('gets 100 Continue when the handler reads the body', async () => {
    expect(await responseOf(post('/read'))).toEqual({ status: 200, text: 'body' });
    expect(continued).toBe(true);
  });

  it('gets the rejection instead if nothing reads the body', async () => {
    const posted = post('/rejected');
    expect(await responseOf(posted)).toEqual({ status: 401, text: 'no' });
    expect(continued).toBe(false);
    posted.destroy();
  });
});
