import { buildForm } from '../support/forms.js';
import { readRaw, sendRaw } from '../support/raw.js';
import { newUser, type Service, useOwnService, withServiceOn } from '../support/service.js';

const FORMS = '/api/v1/forms';
const PATH = /\/api\/v1\/(forms\?page=1|submissions\/[\w-]{36})$/;

// Links to pages depend on the number of forms.
const use = useOwnService();
let plainToken: string;
let formUuid: string;

beforeAll(async () => {
  ({ plainToken } = await newUser(use));
  formUuid = (await buildForm(use.database.dataSource)).form.uuid;
});

const withService = (variables: Record<string, string>, test: (service: Service) => Promise<void>) =>
  withServiceOn(use.database, variables, test);

/** Sends these header lines to each route that returns links. Returns the statuses, and the origins of the links. */
async function linksOf({ url }: Service, ...lines: string[]) {
  const body = JSON.stringify({ form_uuid: formUuid });
  const headers = [...lines, 'Connection: close', `Authorization: Bearer ${plainToken}`];
  const list = readRaw(await sendRaw(url, [`GET ${FORMS} HTTP/1.1`, ...headers, '', ''].join('\r\n')));
  const writes = ['Content-Type: application/json', `Content-Length: ${body.length}`, '', body];
  const created = readRaw(
    await sendRaw(url, ['POST /api/v1/submissions HTTP/1.1', ...headers, ...writes].join('\r\n')),
  );
  const { links = {} } = JSON.parse(list.body) as { links?: Record<string, string | null> };
  const found = [...Object.values(links), created.headers.get('location')].filter((link) => link !== null);
  return {
    statuses: [list.status, created.status],
    origins: [...new Set(found.map((link) => link.replace(PATH, '')))],
  };
}

const FORWARDED = [
  'X-Forwarded-Host: evil.example',
  'X-Forwarded-Proto: https',
  'X-Forwarded-Port: 666',
  'X-Forwarded-Prefix: /evil',
  'X-Host: evil.example',
  'X-Original-Host: evil.example',
  'Forwarded: for=1.2.3.4;host=evil.example;proto=https',
];

describe('links (F3, E7)', () => {
  it('lead to the host of the request, and ignore forwarding headers unless the proxy is trusted', async () => {
    const expected = { statuses: [200, 201], origins: ['http://forms.example:8080'] };
    expect(await linksOf(use.service, 'Host: forms.example:8080', ...FORWARDED)).toEqual(expected);
    await withService({ TRUST_PROXY: '10.0.0.1' }, async (service) => {
      expect(await linksOf(service, 'Host: forms.example:8080', ...FORWARDED)).toEqual(expected);
    });
  });

  it('lead to PUBLIC_URL regardless of the request, even through a trusted proxy', () =>
    withService({ PUBLIC_URL: 'https://forms.example/a', TRUST_PROXY: '127.0.0.1' }, async (service) => {
      const expected = { statuses: [200, 201], origins: ['https://forms.example/a'] };
      for (const host of ['Host: evil.example', 'Host: evil.example:666', 'Host:']) {
        expect(await linksOf(service, host, ...FORWARDED)).toEqual(expected);
      }
    }));

  it('have the scheme http or https, even if a trusted proxy forwards another', () =>
    withService({ TRUST_PROXY: '127.0.0.1' }, async (service) => {
      for (const [proto, origin] of [
        ['https', 'https://a'],
        ['HTTPS', 'https://a'],
        ['javascript', 'http://a'],
        ['https://evil.example/?', 'http://a'],
        ['data:text/html,', 'http://a'],
      ]) {
        const { origins } = await linksOf(service, 'Host: a', `X-Forwarded-Proto: ${proto}`);
        expect({ proto, origins }).toEqual({ proto, origins: [origin] });
      }
      const host = ['Host: a', 'X-Forwarded-Proto: https', 'X-Forwarded-Host: forms.example.org'];
      expect((await linksOf(service, ...host)).origins).toEqual(['https://forms.example.org']);
    }));

  it('are URLs even if an HTTP/1.0 client sends no host', async () => {
    const { body } = readRaw(await sendRaw(use.service.url, `GET ${FORMS} HTTP/1.0\r\n\r\n`));
    const { links } = JSON.parse(body) as { links: { first: string } };
    expect(links.first).toMatch(/^http:\/\/[^/]+\/api\/v1\/forms\?page=1$/);
  });
});

const MALFORMED = [
  ...[
    'evil.example/path?',
    'evil.example/',
    'a@evil.example',
    'user:pass@evil.example',
    'a#b',
    'a?b',
    'a\\b',
  ],
  ...['"evil"', "'evil'", '<script>', 'a b', 'a,b', 'a\tb', 'a;b', 'http://evil.example', '//evil.example'],
  ...['[evil.example]', '[::1', '::1', 'a:b', 'a:80:80', 'a:999999', '%0d%0aX: y', '\u00e9.example', ':80'],
  ...['..%2f', '{}', 'a'.repeat(256), `${'a'.repeat(10_000)}.example`],
];

describe('a malformed host', () => {
  it.each(MALFORMED)('is rejected and makes no link: %.40s', async (host) => {
    const refused = { statuses: [400, 400], origins: [] };
    const count = () => use.database.dataSource.query('select count(*) from submissions');
    const before = await count();
    expect(await linksOf(use.service, `Host: ${host}`)).toEqual(refused);
    expect(await count()).toEqual(before);
  });

  it('is rejected, and so are two Host headers', async () => {
    const refused = { statuses: [400, 400], origins: [] };
    expect(await linksOf(use.service, 'Host: a', 'Host: evil.example')).toEqual(refused);
  });

  it('is rejected from a trusted proxy too', () =>
    withService({ TRUST_PROXY: '127.0.0.1' }, async (service) => {
      for (const host of MALFORMED.filter((host) => !host.includes(','))) {
        const answer = await linksOf(service, 'Host: a', `X-Forwarded-Host: ${host}`);
        expect({ host, ...answer }).toEqual({ host, statuses: [400, 400], origins: [] });
      }
    }));

  it.each([
    'forms.example',
    'FORMS.example.',
    'form_service:3000',
    '127.0.0.1:8080',
    '[::1]:3000',
    '[::ffff:1.2.3.4]',
    'a:',
    'xn--bcher-kva.example',
  ])('is not %s, which is valid', async (host) => {
    expect(await linksOf(use.service, `Host: ${host}`)).toEqual({
      statuses: [200, 201],
      origins: [`http://${host}`],
    });
  });
});
