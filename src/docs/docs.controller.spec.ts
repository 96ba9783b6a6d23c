import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { document } from '../../test/support/documented.js';
import { openApiFile } from '../../test/support/openapi-file.js';
import { ConfigurationModule } from '../config/configuration.module.js';
import { readEnvironment } from '../config/environment.js';
import { SECURITY_HEADERS } from '../http/headers/headers.options.js';
import { DocsModule } from './docs.module.js';

@Module({})
class Root {}

const publicUrl = 'https://forms.example.org';
let app: NestFastifyApplication;
let origin: string;

const get = async (url: string, sent: Record<string, string> = {}) => {
  const response = await fetch(origin + url, { headers: sent, redirect: 'manual' });
  const headers: Record<string, string | undefined> = Object.fromEntries(response.headers);
  return { statusCode: response.status, headers, body: await response.text() };
};

beforeAll(async () => {
  const environment = readEnvironment({ PUBLIC_URL: publicUrl });
  const root = {
    module: Root,
    imports: [ConfigurationModule.of(environment), DocsModule.of(openApiFile())],
  };
  app = await NestFactory.create<NestFastifyApplication>(root, new FastifyAdapter(), { logger: false });
  app.useSecurityHeaders(SECURITY_HEADERS);
  await app.listen(0, '127.0.0.1');
  origin = await app.getUrl();
});
afterAll(() => app.close());

describe('GET /docs', () => {
  it('serves a page whose files all come from this service', async () => {
    const page = await get('/docs');
    expect(page.statusCode).toBe(200);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    const links = [...page.body.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, link]) => link ?? '');
    expect(links).toHaveLength(5);
    for (const link of links) expect([link, (await get(`/${link}`)).statusCode]).toEqual([link, 200]);
  });

  it('has no script that the content security policy would block', async () => {
    const { headers, body } = await get('/docs');
    expect(headers['content-security-policy']).toContain(`default-src 'none'; script-src 'self'; `);
    expect(body).not.toMatch(/<script(?![^>]* src=)|\son\w+=/);
  });

  it('serves the files with the types that browsers require', async () => {
    const types = {
      'start.js': 'text/javascript; charset=utf-8',
      'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
      'swagger-ui.css': 'text/css; charset=utf-8',
      'favicon-32x32.png': 'image/png',
    };
    for (const [name, type] of Object.entries(types)) {
      expect([name, (await get(`/docs/${name}`)).headers['content-type']]).toEqual([name, type]);
    }
  });

  it('serves no other file of the swagger-ui-dist package', async () => {
    const others = ['index.html', 'package.json', '..%2fpackage.json', 'swagger-ui.js'];
    for (const name of others) expect([name, (await get(`/docs/${name}`)).statusCode]).toEqual([name, 404]);
  });

  it('redirects from a trailing slash to the page', async () => {
    const response = await get('/docs/');
    expect([response.statusCode, response.headers.location]).toEqual([302, './']);
  });
});

describe('GET /docs-json', () => {
  it('serves the document with the public URL, and 304 to a client that has cached it', async () => {
    const first = await get('/docs-json');
    expect(first.statusCode).toBe(200);
    expect(first.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(JSON.parse(first.body)).toEqual({ ...document, servers: [{ url: publicUrl }] });
    const again = await get('/docs-json', { 'If-None-Match': String(first.headers.etag) });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  });
});
