import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { FastifyReply } from 'fastify';
import { acceptedCoding, CacheableBody } from './cacheable-body.js';
import { readIfMatch, representationOf } from './conditional-requests.js';

/** Returns the response to a request with these headers. `bytes` is undefined for a response without a body. */
async function responseOf(body: CacheableBody, requested: Record<string, string> = {}) {
  const headers: Record<string, string> = {};
  const response = { status: 200, headers, bytes: undefined as Buffer | undefined };
  const reply = {
    getHeader: (name: string) => headers[name],
    header: (name: string, value: string) => {
      headers[name] = value;
      return reply;
    },
    status: (status: number) => Object.assign(response, { status }),
  };
  const given = Object.entries(requested).map(([name, value]) => [name.toLowerCase(), value]);
  response.bytes = await representationOf(
    body,
    { method: 'GET', headers: Object.fromEntries(given) as Record<string, string> },
    reply as unknown as FastifyReply,
  );
  return response;
}

it.each([
  [undefined, undefined],
  ['', undefined],
  ['identity', undefined],
  ['gzip', 'gzip'],
  ['gzip, deflate, br, zstd', 'br'],
  ['GZIP;q=1.0, deflate', 'gzip'],
  ['br;q=0, gzip;q=0.5', 'gzip'],
  ['br ; q=0.000 , gzip; q=0', undefined],
  ['*', 'br'],
  ['br;q=0, *', 'gzip'],
  ['*;q=0', undefined],
  ['x-gzip, brotli', undefined],
])('for Accept-Encoding: %s, the coding of a response is %s', (header, coding) => {
  expect(acceptedCoding(header)).toBe(coding);
});

describe('F10: a body that clients may cache', () => {
  const body = new CacheableBody({ data: 'é😀' }, true);
  const { etag } = body.identity;

  it('is JSON in UTF-8 with a strong ETag that depends only on its content', async () => {
    expect(await responseOf(body)).toEqual({
      status: 200,
      headers: { ETag: etag, 'Cache-Control': 'no-cache', 'Content-Type': 'application/json; charset=utf-8' },
      bytes: Buffer.from('{"data":"é😀"}', 'utf8'),
    });
    expect(etag).toMatch(/^"[\w-]{20,}"$/);
    expect(new CacheableBody({ data: 'é😀' }, true).identity.etag).toBe(etag);
    expect(new CacheableBody({ data: 'b' }, true).identity.etag).not.toBe(etag);
  });

  it.each([
    ['its ETag', etag],
    ['its ETag with white space around it', `  ${etag}\t`],
    ['its ETag in the weak form (RFC 9110, section 8.8.3.2)', `W/${etag}`],
    ['its ETag after others', `"a", W/"b,c",${etag}`],
    ['*', '*'],
  ])('is 304 for If-None-Match with %s', async (_, header) => {
    expect(await responseOf(body, { 'If-None-Match': header })).toEqual({
      status: 304,
      headers: { ETag: etag, 'Cache-Control': 'no-cache' },
    });
  });

  it.each([
    ['another ETag', '"another"'],
    ['its ETag without quotes', etag.replaceAll('"', '')],
    ['a part of its ETag', `${etag.slice(0, -2)}"`],
    ['nothing', ''],
    ['an open quote', '"'],
    ['a star in quotes', '"*"'],
  ])('is sent whole for If-None-Match with %s', async (_, header) => {
    expect((await responseOf(body, { 'If-None-Match': header })).status).toBe(200);
  });
});

describe('F10: a large body that is sent more than once', () => {
  const text = 'A form. '.repeat(200);
  const body = new CacheableBody({ data: text }, true);

  it.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ])('is sent in %s with a stable ETag of its own', async (coding, decompress) => {
    const { headers, bytes } = await responseOf(body, { 'Accept-Encoding': coding });
    expect(headers).toMatchObject({ 'Content-Encoding': coding, Vary: 'Accept-Encoding' });
    expect(bytes!.length).toBeLessThan(text.length / 2);
    expect(JSON.parse(decompress(bytes!).toString())).toEqual({ data: text });
    expect(headers['ETag']).toMatch(/^"[\w-]{20,}"$/);
    expect(headers['ETag']).not.toBe(body.identity.etag);
    expect((await responseOf(body, { 'Accept-Encoding': coding })).headers).toEqual(headers);
  });

  it('is sent uncompressed to other clients, with Vary: Accept-Encoding', async () => {
    const { headers, bytes } = await responseOf(body, { 'Accept-Encoding': 'identity' });
    expect(bytes).toEqual(body.identity.bytes);
    expect(headers).toMatchObject({ ETag: body.identity.etag, Vary: 'Accept-Encoding' });
    expect(headers).not.toHaveProperty('Content-Encoding');
  });

  it('is 304 for a client that has cached it in any coding, with the ETag that a 200 would have', async () => {
    const { ETag } = (await responseOf(body, { 'Accept-Encoding': 'br' })).headers;
    for (const held of ['br', 'gzip', 'identity']) {
      const cached = (await responseOf(body, { 'Accept-Encoding': held })).headers['ETag']!;
      const response = await responseOf(body, { 'Accept-Encoding': 'br', 'If-None-Match': cached });
      expect(response).toMatchObject({ status: 304, headers: { ETag }, bytes: undefined });
    }
    const other = body.identity.etag.replace(/"$/, '-zstd"');
    expect((await responseOf(body, { 'If-None-Match': other })).status).toBe(200);
  });

  it.each([
    ['is small', new CacheableBody({ data: 'x' }, true)],
    ['is sent only once', new CacheableBody({ data: text }, false)],
  ])('is not compressed if it %s', async (_, one) => {
    const { headers } = await responseOf(one, { 'Accept-Encoding': 'br, gzip' });
    expect(headers).not.toHaveProperty('Content-Encoding');
    expect(headers).not.toHaveProperty('Vary');
  });
});

describe('S11: the versions in If-Match', () => {
  it.each<[string | undefined, string[] | undefined]>([
    [undefined, undefined],
    [' * ', undefined],
    ['"a"', ['a']],
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
