import fastify, { type FastifyInstance } from 'fastify';
import { CacheableBody } from './cacheable-body.js';
import { readIfMatch, representationOf } from './conditional-requests.js';

describe('F10: a body that clients may cache', () => {
  it('has a strong ETag that depends only on its content', () => {
    const one = new CacheableBody({ data: { name: 'a' } }, true);
    expect(one.identity.etag).toMatch(/^"[\w-]{20,}"$/);
    expect(new CacheableBody({ data: { name: 'a' } }, true).identity.etag).toBe(one.identity.etag);
    expect(new CacheableBody({ data: { name: 'b' } }, true).identity.etag).not.toBe(one.identity.etag);
  });

  it('is JSON in UTF-8', () => {
    expect(new CacheableBody({ data: 'é😀' }, true).identity.bytes).toEqual(
      Buffer.from('{"data":"é😀"}', 'utf8'),
    );
  });

  describe('in a response', () => {
    const body = new CacheableBody({ data: 'x' }, true);
    let server: FastifyInstance;
    let url: string;

    beforeAll(async () => {
      server = fastify();
      server.get('/', async (request, reply) => reply.send(await representationOf(body, request, reply)));
      url = await server.listen({ host: '127.0.0.1', port: 0 });
    });
    afterAll(() => server.close());

    const get = async (ifNoneMatch?: string) => {
      const headers: Record<string, string> =
        ifNoneMatch === undefined ? {} : { 'If-None-Match': ifNoneMatch };
      const response = await fetch(url, { headers });
      return {
        statusCode: response.status,
        headers: Object.fromEntries(response.headers),
        payload: await response.text(),
      };
    };

    it('is sent whole if the request has no If-None-Match', async () => {
      const { statusCode, headers, payload } = await get();
      expect({ statusCode, payload }).toEqual({ statusCode: 200, payload: '{"data":"x"}' });
      expect(headers).toMatchObject({
        etag: body.identity.etag,
        'cache-control': 'no-cache',
        'content-type': 'application/json; charset=utf-8',
      });
    });

    it.each([
      ['its ETag', body.identity.etag],
      ['its ETag with white space around it', `  ${body.identity.etag}\t`],
      ['its ETag in the weak form (RFC 9110, section 8.8.3.2)', `W/${body.identity.etag}`],
      ['its ETag after others', `"a", W/"b,c",${body.identity.etag}`],
      ['*', '*'],
    ])('is 304 for %s', async (_, header) => {
      const { statusCode, headers, payload } = await get(header);
      expect({ statusCode, payload }).toEqual({ statusCode: 304, payload: '' });
      expect(headers).toMatchObject({ etag: body.identity.etag, 'cache-control': 'no-cache' });
      expect(headers).not.toHaveProperty('content-type');
    });

    it.each([
      ['another ETag', '"another"'],
      ['several others', '"a", W/"b"'],
      ['its ETag without quotes', body.identity.etag.replaceAll('"', '')],
      ['a part of its ETag', `${body.identity.etag.slice(0, -2)}"`],
      ['nothing', ''],
      ['an open quote', '"'],
      ['a star in quotes', '"*"'],
    ])('is sent whole for %s', async (_, header) => {
      expect((await get(header)).statusCode).toBe(200);
    });
  });
});

describe('S11: the versions in If-Match', () => {
  it.each<[string | undefined, string[] | undefined]>([
    [undefined, undefined],
    ['*', undefined],
    [' * ', undefined],
    ['"a"', ['a']],
    ['"a", "b"', ['a', 'b']],
    ['"a","b,c"', ['a', 'b,c']],
    ['W/"a"', []],
    ['"a", W/"b", "c"', ['a', 'c']],
    ['""', ['']],
    ['a', []],
    ['"a', []],
    ['', []],
    ['"*"', ['*']],
  ])('reads %j', (header, versions) => {
    expect(readIfMatch(header)).toEqual(versions);
  });
});
