import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { securityHeaders } from '../http/security-headers.js';
import { openApiDocument } from './openapi.js';
import { serveDocs } from './serve-docs.js';

@Module({})
class NothingElse {}

const options = { version: '1.2.3', publicUrl: 'https://forms.example.org' };
let app: NestFastifyApplication;
const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers });

beforeAll(async () => {
  app = await NestFactory.create<NestFastifyApplication>(NothingElse, new FastifyAdapter(), {
    logger: false,
  });
  serveDocs(app, options);
  await app.init();
});
afterAll(() => app.close());

describe('GET /docs', () => {
  it('shows a page whose files all come from this service', async () => {
    const page = await get('/docs');
    expect(page.statusCode).toBe(200);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    const links = [...page.body.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, link]) => link ?? '');
    expect(links).toHaveLength(5);
    for (const link of links) expect([link, (await get(`/${link}`)).statusCode]).toEqual([link, 200]);
  });

  it('has no script that the content security policy would refuse', async () => {
    expect(securityHeaders()['Content-Security-Policy']).toContain(
      `script-src 'self';script-src-attr 'none';`,
    );
    expect((await get('/docs')).body).not.toMatch(/<script(?![^>]* src=)|\son\w+=/);
  });

  it('serves the files with the types that a browser insists on', async () => {
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

  it('serves nothing else of the package that they come from', async () => {
    const others = ['index.html', 'package.json', '..%2fpackage.json', 'swagger-ui.js'];
    for (const name of others) expect([name, (await get(`/docs/${name}`)).statusCode]).toEqual([name, 404]);
  });

  it('leads from a trailing slash to the page', async () => {
    const answer = await get('/docs/');
    expect([answer.statusCode, answer.headers.location]).toEqual([302, '../docs']);
  });
});

describe('GET /docs-json', () => {
  it('answers with the document, and with 304 to whoever has it', async () => {
    const first = await get('/docs-json');
    expect(first.statusCode).toBe(200);
    expect(first.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(first.json()).toEqual(openApiDocument(options));
    const again = await get('/docs-json', { 'If-None-Match': String(first.headers.etag) });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  });
});
