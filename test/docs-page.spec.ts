import { document } from './support/documented.js';
import { sendHttp } from './support/raw.js';
import { useService } from './support/service.js';

const PUBLIC_URL = 'https://forms.example.org';
const use = useService({ PUBLIC_URL });

const get = async (path: string, headers = {}) => {
  const answer = await sendHttp(use.service.url, path, { headers });
  return { ...answer, type: answer.headers.get('content-type') };
};

describe('GET /docs', () => {
  it('serves a page whose files all come from this service, with the types that browsers require', async () => {
    const page = await get('/docs');
    expect([page.status, page.type]).toEqual([200, 'text/html; charset=utf-8']);
    const links = [...String(page.body).matchAll(/(?:src|href)="([^"]*)"/g)].map(([, link = '']) => link);
    expect(links).toHaveLength(5);
    const types: Record<string, string> = {
      js: 'text/javascript; charset=utf-8',
      css: 'text/css; charset=utf-8',
      png: 'image/png',
      'docs-json': 'application/json; charset=utf-8',
    };
    for (const link of links) {
      const { status, type } = await get(`/${link}`);
      expect([link, status, type]).toEqual([link, 200, types[link.split('.').at(-1)!]]);
    }
  });

  it('has no script that the content security policy would block', async () => {
    const { headers, body } = await get('/docs');
    expect(headers.get('content-security-policy')).toContain(`default-src 'none'; script-src 'self'; `);
    expect(body).not.toMatch(/<script(?![^>]* src=)|\son\w+=/);
  });

  it.each(['index.html', 'package.json', '..%2fpackage.json', 'swagger-ui.js'])(
    'serves no other file of the swagger-ui-dist package: %s',
    async (name) => {
      expect((await get(`/docs/${name}`)).status).toBe(404);
    },
  );

  it('redirects from a trailing slash to the page', async () => {
    const { status, headers } = await get('/docs/');
    expect([status, headers.get('location')]).toEqual([302, './']);
  });
});

it('GET /docs-json serves the document with the public URL, and 304 to a client that has cached it', async () => {
  const first = await get('/docs-json');
  expect([first.status, first.type]).toEqual([200, 'application/json; charset=utf-8']);
  expect(first.body).toEqual({ ...document, servers: [{ url: PUBLIC_URL }] });
  const again = await get('/docs-json', { 'If-None-Match': first.headers.get('etag') });
  expect([again.status, again.body]).toEqual([304, undefined]);
});
