import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { AppModule } from './app.module.js';
import { CONDITIONS_SCHEMAS } from '../forms/states/conditions.response.js';
import { readEnvironment } from '../config/environment.js';
import { ChangeListener } from '../database/change-listener.js';
import { createDataSource } from './data-source.js';
import { FilesModule } from '../files/files.module.js';
import {
  InvalidRequestDetailsResponse,
  InvalidRequestResponse,
  ProblemDetailsResponse,
  ProblemResponse,
} from '../http/errors/problem.response.js';
import { FixedWindowStorage } from '../throttling/rate-limit.storage.js';
import { WEBHOOK_SCHEMA, WEBHOOKS } from '../webhooks/webhooks.openapi.js';
import { HEADERS } from '../http/openapi/openapi.headers.js';

const ABOUT = `Publishes multi-step forms, records submissions to them, and evaluates their conditions on the server.

A client reads the schema of a form, begins a submission, stores the values of a step, requests which fields are visible
and required now, goes to the next step, and completes the submission at the end.

- **Bodies** are JSON. A successful response has its result in \`data\`. An error has a \`message\`, and field errors in
  \`errors\` if properties are invalid. The service ignores properties of a request that are not described here.
- **Errors for programs**: with \`Accept: application/problem+json\`, errors are problem details (RFC 9457) with codes
  that are never renamed.
- **Submissions** need \`Authorization: Bearer <token>\`, and are visible only to the user who began them.
- **Limits**: the \`X-RateLimit-*\` headers show how many requests are left in the current minute. After 429, wait for
  \`Retry-After\` seconds.
- **Retries**: with an \`Idempotency-Key\`, beginning a submission and changing its step happen once, however often you
  send the request. You can repeat storing values and completing without a key.
- **Parallel writes**: with \`If-Match\`, the service rejects a write if another one came first.
- **Support**: every response has an \`X-Request-Id\`, yours if you send one. Quote it when you report a fault.
- **Stability**: everything under \`/api/v1\` stays compatible. New features are optional.`;

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
      bearer: {
        type: 'http' as const,
        scheme: 'bearer',
        description:
          'A token of a user. The operator of the service, an administration panel or an identity provider issues it. A respondent gets a token from the service.',
      },
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
      extraModels: [
        ProblemResponse,
        InvalidRequestResponse,
        ProblemDetailsResponse,
        InvalidRequestDetailsResponse,
      ],
    },
  );
  // Every operation states its security, so that an operation without security is visibly intended.
  for (const operations of Object.values(document.paths)) {
    const { get, post, put, patch, delete: remove } = operations;
    for (const operation of [get, post, put, patch, remove]) {
      if (operation !== undefined) operation.security ??= [];
    }
  }
  return Object.assign(document, { webhooks: WEBHOOKS });
}
