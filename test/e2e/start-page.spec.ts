import { sendHttp } from '../support/raw.js';
import { useService } from '../support/service.js';

describe('GET /', () => {
  const use = useService();

  it('shows a browser a page whose links lead somewhere', async () => {
    const { status, headers, body } = await use.service.anyone.get('/', {
      Accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
    });
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'/);
    const links = [...String(body).matchAll(/<a href="([^"]+)"/g)].map(([, link]) => `/${link}`);
    expect(links).toEqual(['/docs', '/docs-json', '/api/v1/forms', '/health/ready']);
    for (const link of links) expect((await use.service.anyone.get(link)).status).toBe(200);
  });

  it.each<Record<string, string>>([{}, { Accept: '*/*' }, { Accept: 'application/json' }])(
    'responds with the links as JSON to %j',
    async (accept) => {
      const { status, headers, body } = await use.service.anyone.get('/', accept);
      expect({ status, body }).toEqual({
        status: 200,
        body: { documentation: 'docs', openapi: 'docs-json', forms: 'api/v1/forms', health: 'health/ready' },
      });
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(headers.get('vary')).toMatch(/\baccept\b/i);
    },
  );

  it('responds to HEAD, and with 404 to other methods', async () => {
    expect((await sendHttp(use.service.url, '/', { method: 'HEAD' })).status).toBe(200);
    expect((await sendHttp(use.service.url, '/', { method: 'POST' })).status).toBe(404);
  });
});
