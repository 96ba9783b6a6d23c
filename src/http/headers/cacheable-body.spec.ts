import fastify, { type FastifyInstance } from 'fastify';
import { acceptedCoding, CacheableBody } from './cacheable-body.js';
import { representationOf } from './conditional-requests.js';

describe('the coding of a response', () => {
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

describe('F10: a body that is compressed for clients that accept it', () => {
  const text = 'A form. '.repeat(200);
  const body = new CacheableBody({ data: text }, true);
  const small = new CacheableBody({ data: 'x' }, true);
  const passing = new CacheableBody({ data: text }, false);
  let server: FastifyInstance;
  let url: string;

  beforeAll(async () => {
    server = fastify();
    for (const [path, one] of Object.entries({ body, small, passing })) {
      server.get(`/${path}`, async (request, reply) =>
        reply.send(await representationOf(one, request, reply)),
      );
    }
    url = await server.listen({ host: '127.0.0.1', port: 0 });
  });
  afterAll(() => server.close());

  const get = async (path: string, headers: Record<string, string>) => {
    const response = await fetch(url + path, { headers });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };

  it.each(['br', 'gzip'])('is sent in %s with a stable ETag of its own', async (coding) => {
    const responses = [
      await get('/body', { 'Accept-Encoding': coding }),
      await get('/body', { 'Accept-Encoding': coding }),
    ];
    for (const { headers, text: decoded } of responses) {
      expect(headers.get('content-encoding')).toBe(coding);
      expect(headers.get('vary')).toBe('Accept-Encoding');
      expect(Number(headers.get('content-length'))).toBeLessThan(text.length / 2);
      expect(JSON.parse(decoded)).toEqual({ data: text });
    }
    const [etag, again] = responses.map(({ headers }) => headers.get('etag'));
    expect(again).toBe(etag);
    expect(etag).toMatch(/^"[\w-]{20,}"$/);
    expect(etag).not.toBe(body.identity.etag);
  });

  it('is sent uncompressed to other clients, with Vary: Accept-Encoding', async () => {
    const { headers, text: sent } = await get('/body', { 'Accept-Encoding': 'identity' });
    expect(JSON.parse(sent)).toEqual({ data: text });
    expect(headers.get('etag')).toBe(body.identity.etag);
    expect(headers.get('vary')).toBe('Accept-Encoding');
    expect(headers.has('content-encoding')).toBe(false);
  });

  it('results in 304 for a client that has cached it in any coding, with the ETag that a 200 would have', async () => {
    const inBrotli = (await get('/body', { 'Accept-Encoding': 'br' })).headers.get('etag');
    for (const held of ['br', 'gzip', 'identity', '*']) {
      const etag = (await get('/body', { 'Accept-Encoding': held })).headers.get('etag');
      const response = await get('/body', {
        'Accept-Encoding': 'br',
        'If-None-Match': held === '*' ? '*' : String(etag),
      });
      expect([response.status, response.headers.get('etag'), response.text]).toEqual([304, inBrotli, '']);
    }
    const other = body.identity.etag.replace(/"$/, '-zstd"');
    expect((await get('/body', { 'If-None-Match': other })).status).toBe(200);
  });

  it.each(['small', 'passing'])('is not compressed if that is not worthwhile: %s', async (name) => {
    const { headers } = await get(`/${name}`, { 'Accept-Encoding': 'br, gzip' });
    expect(headers.has('content-encoding')).toBe(false);
    expect(headers.has('vary')).toBe(false);
  });
});
