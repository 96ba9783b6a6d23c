import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import fastify, { type FastifyInstance } from 'fastify';
import { acceptedCoding, CacheableBody } from './cacheable-body.js';
import { sendCacheable } from './conditional-requests.js';

describe('the coding of an answer', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['identity', undefined],
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br, zstd', 'br'],
    ['GZIP;q=1.0, deflate', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['br ; q=0.000 , gzip; q=0', undefined],
    ['*', 'br'],
    ['br;q=0, *', 'gzip'],
    ['*;q=0', undefined],
    ['x-gzip, brotli', undefined],
  ])('for Accept-Encoding: %s', (header, coding) => {
    expect(acceptedCoding(header)).toBe(coding);
  });
});

describe('F10: a body that is compressed for who accepts it', () => {
  const text = 'A form. '.repeat(200);
  const body = new CacheableBody({ data: text }, true);
  const small = new CacheableBody({ data: 'x' }, true);
  const passing = new CacheableBody({ data: text }, false);
  let server: FastifyInstance;

  beforeAll(() => {
    server = fastify();
    for (const [path, one] of Object.entries({ body, small, passing })) {
      server.get(`/${path}`, async (request, reply) => {
        await sendCacheable(request, reply, one);
        return reply;
      });
    }
  });
  afterAll(() => server.close());

  const ask = (path: string, headers: Record<string, string>) => server.inject({ url: path, headers });

  it.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ])('goes out in %s, every time with the same validator, which is its own', async (coding, decompress) => {
    const answers = [
      await ask('/body', { 'accept-encoding': coding }),
      await ask('/body', { 'accept-encoding': coding }),
    ];
    for (const { headers, rawPayload } of answers) {
      expect(headers).toMatchObject({ 'content-encoding': coding, vary: 'accept-encoding' });
      expect(headers['content-length']).toBe(String(rawPayload.length));
      expect(JSON.parse(decompress(rawPayload).toString())).toEqual({ data: text });
    }
    const [etag, again] = answers.map(({ headers }) => headers.etag);
    expect(again).toBe(etag);
    expect(etag).toMatch(/^"[\w-]{20,}"$/);
    expect(etag).not.toBe(body.identity.etag);
  });

  it('goes out as it is to everybody else, who is told that others get something else', async () => {
    const { headers, payload } = await ask('/body', {});
    expect(JSON.parse(payload)).toEqual({ data: text });
    expect(headers).toMatchObject({ etag: body.identity.etag, vary: 'accept-encoding' });
    expect(headers).not.toHaveProperty('content-encoding');
  });

  it('is 304 to who holds it in any coding, by that validator', async () => {
    for (const held of ['br', 'gzip', 'identity']) {
      const { etag } = (await ask('/body', { 'accept-encoding': held })).headers;
      const answer = await ask('/body', { 'accept-encoding': 'br', 'if-none-match': String(etag) });
      expect([answer.statusCode, answer.headers.etag, answer.payload]).toEqual([304, etag, '']);
    }
    const other = body.identity.etag.replace(/"$/, '-zstd"');
    expect((await ask('/body', { 'if-none-match': other })).statusCode).toBe(200);
  });

  it.each(['small', 'passing'])('is left as it is where that does not pay: %s', async (name) => {
    const { headers } = await ask(`/${name}`, { 'accept-encoding': 'br, gzip' });
    expect(headers).not.toHaveProperty('content-encoding');
    expect(headers).not.toHaveProperty('vary');
  });
});
