import { createReadStream } from 'node:fs';
import path from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import swaggerUiDirectory from 'swagger-ui-dist/absolute-path.js';
import { CacheableBody } from '../http/cacheable-body.js';
import { sendCacheable } from '../http/conditional-requests.js';
import type { DocumentOptions } from './openapi.js';
import { PAGE, START_SCRIPT } from './page.js';

/** Swagger UI's own files, as many as the page needs. */
const ASSETS = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};
const KEEP_ASSETS = 'public, max-age=3600';

/**
 * Serves the interface's description: to programs at /docs-json, to people at /docs. The start does not wait for it
 * and carries none of it: the document is loaded when it is first asked for, and files are streamed.
 */
export function serveDocs(app: NestFastifyApplication, options: DocumentOptions): void {
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  let document: CacheableBody | undefined;

  fastify.get('/docs-json', async (request, reply) => {
    if (document === undefined) {
      const { openApiDocument } = await import('./openapi.js');
      document = new CacheableBody(openApiDocument(options), true);
    }
    await sendCacheable(request, reply, document);
    return reply;
  });
  fastify.get('/docs', (_request, reply) => {
    void reply.type('text/html; charset=utf-8').header('Cache-Control', 'no-cache').send(PAGE);
  });
  // Where a slash ends the path, the links of the page would lead one level too deep.
  fastify.get('/docs/', (_request, reply) => {
    void reply.redirect('../docs');
  });
  fastify.get('/docs/start.js', (_request, reply) => {
    void reply.type('text/javascript; charset=utf-8').header('Cache-Control', KEEP_ASSETS).send(START_SCRIPT);
  });
  for (const [name, type] of Object.entries(ASSETS)) {
    fastify.get(`/docs/${name}`, (_request, reply) => {
      const file = createReadStream(path.join(swaggerUiDirectory(), name));
      void reply.type(type).header('Cache-Control', KEEP_ASSETS).send(file);
    });
  }
}
