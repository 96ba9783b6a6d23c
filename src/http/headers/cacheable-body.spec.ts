import fastify, { type FastifyInstance } from 'fastify';
import { acceptedCoding, CacheableBody } from './cacheable-body.js';
import { representationOf } from './conditional-requests.js';

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

  const ask = async (path: string, headers: Record<string, string>) => {
    const response = await fetch(url + path, { headers });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };

  it.each(['br', 'gzip'])(
    'goes out in %s, every time with the same validator, which is its own',
    async (coding) => {
      const answers = [
        await ask('/body', { 'Accept-Encoding': coding }),
        await ask('/body', { 'Accept-Encoding': coding }),
      ];
      for (const { headers, text: decoded } of answers) {
        expect(headers.get('content-encoding')).toBe(coding);
        expect(headers.get('vary')).toBe('Accept-Encoding');
        expect(Number(headers.get('content-length'))).toBeLessThan(text.length / 2);
        expect(JSON.parse(decoded)).toEqual({ data: text });
      }
      const [etag, again] = answers.map(({ headers }) => headers.get('etag'));
      expect(again).toBe(etag);
      expect(etag).toMatch(/^"[\w-]{20,}"$/);
      expect(etag).not.toBe(body.identity.etag);
    },
  );

  it('goes out as it is to everybody else, who is told that others get something else', async () => {
    const { headers, text: sent } = await ask('/body', { 'Accept-Encoding': 'identity' });
    expect(JSON.parse(sent)).toEqual({ data: text });
    expect(headers.get('etag')).toBe(body.identity.etag);
    expect(headers.get('vary')).toBe('Accept-Encoding');
    expect(headers.has('content-encoding')).toBe(false);
  });

  it('is 304 to who holds it in any coding, with the validator of what would be sent otherwise', async () => {
    const inBrotli = (await ask('/body', { 'Accept-Encoding': 'br' })).headers.get('etag');
    for (const held of ['br', 'gzip', 'identity', '*']) {
      const etag = (await ask('/body', { 'Accept-Encoding': held })).headers.get('etag');
      const answer = await ask('/body', {
        'Accept-Encoding': 'br',
        'If-None-Match': held === '*' ? '*' : String(etag),
      });
      expect([answer.status, answer.headers.get('etag'), answer.text]).toEqual([304, inBrotli, '']);
    }
    const other = body.identity.etag.replace(/"$/, '-zstd"');
    expect((await ask('/body', { 'If-None-Match': other })).status).toBe(200);
  });

  it.each(['small', 'passing'])('is left as it is where that does not pay: %s', async (name) => {
    const { headers } = await ask(`/${name}`, { 'Accept-Encoding': 'br, gzip' });
    expect(headers.has('content-encoding')).toBe(false);
    expect(headers.has('vary')).toBe(false);
  });
});
