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

A client reads the schema of a form, begins a submission, stores the values of a step, asks which fields are visible
and required now, goes to the next step, and completes the submission at the end.

- **Bodies** are JSON. What succeeds is under \`data\`; what fails has a \`message\`, and \`errors\` by property where
  properties are at fault. Properties of a request that are not described here are ignored.
- **Mistakes for programs**: with \`Accept: application/problem+json\` what fails is told as problem details (RFC 9457),
  with codes that are never renamed, instead of by texts alone.
- **Submissions** need \`Authorization: Bearer <token>\`, and are visible to the user who began them only.
- **Limits**: the \`X-RateLimit-*\` headers say what is left of the current minute; after 429, wait for
  \`Retry-After\` seconds.
- **Sending again**: with an \`Idempotency-Key\`, beginning a submission and changing its step happen once however
  often they are sent. Storing values and completing can be repeated as they are.
- **Two tabs**: with \`If-Match\`, a write is refused where another one came first.
- **Support**: \`X-Request-Id\` is on every answer, yours where you send one. Name it when you ask about a fault.
- Everything under \`/api/v1\` stays as it is for those who use it; only optional things are added.`;

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
    { name: 'Forms', description: 'What there is to fill in. No token needed.' },
    { name: 'Submissions', description: 'Drafts, their values and steps, and completion.' },
    { name: 'Files', description: 'What fields for files hold, where the service keeps files.' },
    { name: 'Conditions', description: 'Which fields are visible and required, by what is stored.' },
    { name: 'Health', description: 'For probes.' },
    { name: 'Webhooks', description: 'What is sent to those who listen.' },
  ],
  components: {
    securitySchemes: {
      bearer: {
        type: 'http' as const,
        scheme: 'bearer',
        description:
          'A token of a user, as the operator of the service or its administration panel issues it.',
      },
    },
    headers: HEADERS,
    schemas: { ...CONDITIONS_SCHEMAS, Webhook: WEBHOOK_SCHEMA },
  },
};

/** The interface as OpenAPI 3.1, from the decorators of controllers and DTOs: of the application, none of which runs. */
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
  // Said of every operation, so that nobody takes silence for an oversight.
  for (const operations of Object.values(document.paths)) {
    const { get, post, put, patch, delete: remove } = operations;
    for (const operation of [get, post, put, patch, remove]) {
      if (operation !== undefined) operation.security ??= [];
    }
  }
  return Object.assign(document, { webhooks: WEBHOOKS });
}
