import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { AppModule } from './app.module.js';
import { CONDITIONS_SCHEMAS } from '../conditions/states/conditions.response.js';
import { readEnvironment } from '../config/environment.js';
import { ChangeListener } from '../database/change-listener.js';
import { createDataSource } from './data-source.js';
import { FilesModule } from '../capabilities/files/files.module.js';
import {
  InvalidRequestDetailsResponse,
  InvalidRequestResponse,
  ProblemDetailsResponse,
  ProblemResponse,
} from '../http/errors/problem.response.js';
import { FixedWindowStorage } from '../throttling/rate-limit.storage.js';
import { WEBHOOK_SCHEMA, WEBHOOKS } from '../capabilities/webhooks/webhooks.openapi.js';
import { HEADERS } from '../http/openapi/openapi.headers.js';

const ABOUT = `Publishes multi-step forms, records submissions to them, and evaluates their conditions on the server.
[The contract](https://github.com/formtrail/formtrail/blob/main/docs/contract.md) states the rules. With
\`Accept: application/problem+json\`, errors are problem details (RFC 9457) with codes that are never renamed.`;

const FRAME = {
  openapi: '3.1.0',
  info: {
    title: 'Formtrail',
    summary: 'Headless form service',
    description: ABOUT,
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [{ url: '/' }],
  tags: [
    { name: 'Forms', description: 'Forms and their schemas. No token needed.' },
    { name: 'Submissions', description: 'Drafts, their values and steps, and completion.' },
    { name: 'Files', description: 'Files as values of fields, if the service stores files.' },
    { name: 'Respondents', description: 'Tokens for visitors of public forms, who have no account.' },
    { name: 'Conditions', description: 'Which fields are visible and required, given the stored values.' },
    { name: 'Health', description: 'Probes for load balancers and orchestrators.' },
    { name: 'Webhooks', description: 'Requests that the service sends to webhook endpoints.' },
  ],
  components: {
    securitySchemes: {
      bearer: { type: 'http' as const, scheme: 'bearer', description: 'A token of a user or a respondent.' },
    },
    headers: HEADERS,
    schemas: { ...CONDITIONS_SCHEMAS, Webhook: WEBHOOK_SCHEMA },
  },
};

/** Creates the OpenAPI 3.1 document from the decorators of controllers and DTOs, without instantiating any of them. */
export async function createOpenApiDocument(version: string): Promise<OpenAPIObject> {
  const parts = {
    environment: readEnvironment({}),
    dataSource: createDataSource({}, { size: 1, deadlines: false }),
    listener: new ChangeListener({}),
    openApiFile: '',
  };
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.of(parts, new FixedWindowStorage(), [FilesModule]),
    new FastifyAdapter(),
    { preview: true, logger: false, abortOnError: false },
  );
  const document = SwaggerModule.createDocument(
    app,
    { ...FRAME, info: { ...FRAME.info, version } },
    {
      operationIdFactory: (_controller, handler) => handler,
      extraModels: [
        ProblemResponse,
        InvalidRequestResponse,
        ProblemDetailsResponse,
        InvalidRequestDetailsResponse,
      ],
    },
  );
  // Every operation states its security. Exactly those that need a token describe 401.
  for (const operations of Object.values(document.paths)) {
    const { get, post, put, patch, delete: remove } = operations;
    for (const operation of [get, post, put, patch, remove])
      if (operation !== undefined) operation.security = '401' in operation.responses ? [{ bearer: [] }] : [];
  }
  return Object.assign(document, { webhooks: WEBHOOKS });
}
