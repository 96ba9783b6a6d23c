import fastify, { type FastifyInstance } from 'fastify';
import { CacheableBody } from './cacheable-body.js';
import { readIfMatch, representationOf } from './conditional-requests.js';

describe('F10: a body that clients may keep', () => {
  it('has a strong validator that depends on every byte, and on nothing else', () => {
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

  describe('as it is sent', () => {
    const body = new CacheableBody({ data: 'x' }, true);
    let server: FastifyInstance;
    let url: string;

    beforeAll(async () => {
      server = fastify();
      server.get('/', async (request, reply) => reply.send(await representationOf(body, request, reply)));
      url = await server.listen({ host: '127.0.0.1', port: 0 });
    });
    afterAll(() => server.close());

    const ask = async (ifNoneMatch?: string) => {
      const headers: Record<string, string> =
        ifNoneMatch === undefined ? {} : { 'If-None-Match': ifNoneMatch };
      const response = await fetch(url, { headers });
      return {
        statusCode: response.status,
        headers: Object.fromEntries(response.headers),
        payload: await response.text(),
      };
    };

    it('goes out whole to who asks without a validator', async () => {
      const { statusCode, headers, payload } = await ask();
      expect({ statusCode, payload }).toEqual({ statusCode: 200, payload: '{"data":"x"}' });
      expect(headers).toMatchObject({
        etag: body.identity.etag,
        'cache-control': 'no-cache',
        'content-type': 'application/json; charset=utf-8',
      });
    });

    it.each([
      ['its validator', body.identity.etag],
      ['its validator with white space around', `  ${body.identity.etag}\t`],
      ['its validator in the weak form (RFC 9110, section 8.8.3.2)', `W/${body.identity.etag}`],
      ['its validator after others', `"a", W/"b,c",${body.identity.etag}`],
      ['*', '*'],
    ])('is answered with 304 to %s', async (_, header) => {
      const { statusCode, headers, payload } = await ask(header);
      expect({ statusCode, payload }).toEqual({ statusCode: 304, payload: '' });
      expect(headers).toMatchObject({ etag: body.identity.etag, 'cache-control': 'no-cache' });
      expect(headers).not.toHaveProperty('content-type');
    });

    it.each([
      ['another validator', '"another"'],
      ['several others', '"a", W/"b"'],
      ['its validator without quotes', body.identity.etag.replaceAll('"', '')],
      ['a part of it', `${body.identity.etag.slice(0, -2)}"`],
      ['nothing', ''],
      ['an open quote', '"'],
      ['a star in quotes', '"*"'],
    ])('goes out whole to %s', async (_, header) => {
      expect((await ask(header)).statusCode).toBe(200);
    });
  });
});

describe('S11: what If-Match asks for', () => {
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
  ])('reads %j', (header, validators) => {
    expect(readIfMatch(header)).toEqual(validators);
  });
});
