import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { JWT_ALGORITHMS } from './jwt-issuers.js';
import { KeyFetcher } from './fetch-keys.js';

const KEYS = { keys: [{ kty: 'OKP', kid: 'one' }] };
const DISCOVERY = '/.well-known/openid-configuration';

type Handler = (response: ServerResponse, path: string) => void;
const json =
  (body: unknown): Handler =>
  (response) => {
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };

/** Fetches the keys of a provider with these handlers twice. Returns the requested paths and the first keys or the reason of the failure. */
async function fetched(handlers: (url: string) => Record<string, Handler>, jwksPath?: string, path = '') {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    const at = request.url ?? '';
    paths.push(at);
    const handler = handlers(url)[at];
    if (handler !== undefined) handler(response, at);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const fetcher = new KeyFetcher({
    issuer: url + path,
    audience: 'formtrail',
    jwksUrl: jwksPath === undefined ? undefined : url + jwksPath,
    algorithms: JWT_ALGORITHMS,
  });
  const once = () => fetcher.fetch().catch((error: unknown) => (error as Error).message.replaceAll(url, ''));
  const result = await once();
  await once();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  return { paths, result };
}

describe('the keys of an issuer', () => {
  it('are at jwks_url, if it is set', async () => {
    const { paths, result } = await fetched(() => ({ '/jwks': json(KEYS) }), '/jwks');
    expect(result).toEqual(KEYS);
    expect(paths).toEqual(['/jwks', '/jwks']);
  });

  it.each(['', '/', '/realms/main'])(
    'are found by discovery for an issuer that ends with "%s"',
    async (path) => {
      const discovery = `${path.replace(/\/$/, '')}${DISCOVERY}`;
      const document = (url: string) => json({ issuer: url + path, jwks_uri: `${url}/jwks` });
      const handlers = (url: string) => ({ [discovery]: document(url), '/jwks': json(KEYS) });
      const { paths, result } = await fetched(handlers, undefined, path);
      expect(result).toEqual(KEYS);
      expect(paths).toEqual([discovery, '/jwks', '/jwks']);
    },
  );

  it('are discovered again after a failure', async () => {
    const document = (url: string) => json({ issuer: url, jwks_uri: `${url}/old` });
    const { paths } = await fetched((url) => ({ [DISCOVERY]: document(url) }));
    expect(paths).toEqual([DISCOVERY, '/old', DISCOVERY, '/old']);
  });

  it.each<[string, string, Handler]>([
    ['with an error', 'responded with HTTP 500', (response) => response.writeHead(500).end()],
    [
      'with a redirect',
      'cannot be fetched: unexpected redirect',
      (response) => response.writeHead(302, { Location: '/elsewhere' }).end(),
    ],
    ['with no JSON', 'did not return JSON: ', json('<html>')],
    ['with no object', 'did not return a JSON object', json('null')],
    ['with no list', 'has no list of keys', json({ keys: {} })],
    ['with an empty list', 'has no list of keys', json({ keys: [] })],
    [
      'with more than 1 MiB',
      'did not return JSON: the response is larger than 1 MiB',
      json({ keys: ['x'.repeat(2 ** 20)] }),
    ],
    ['by ending the connection', 'cannot be fetched: ', (response) => response.destroy()],
  ])('are not accepted from a provider that responds %s', async (_, reason, handler) => {
    const { paths, result } = await fetched(() => ({ '/jwks': handler, '/elsewhere': json(KEYS) }), '/jwks');
    expect(result).toMatch(new RegExp(`^/jwks ${reason}`));
    expect(paths).not.toContain('/elsewhere');
  });

  it.each([
    ['another issuer', () => ({ issuer: 'https://other.example', jwks_uri: 'https://other.example/jwks' })],
    ['no jwks_uri with https', (url: string) => ({ issuer: url, jwks_uri: 'http://other.example/jwks' })],
    ['no jwks_uri with https', (url: string) => ({ issuer: url })],
  ])('are not fetched if discovery names %s', async (what, document) => {
    const { result } = await fetched((url) => ({ [DISCOVERY]: json(document(url)) }));
    expect(result).toBe(`${DISCOVERY} names ${what}`);
  });
});
