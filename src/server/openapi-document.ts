import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { HeadersObject, SchemaObject } from '#swagger';
import { AppModule } from './app.module.js';
import { CONDITIONS_SCHEMAS } from '../conditions/states/conditions.response.js';
import { readEnvironment, settingsOfCapabilities } from './read-environment.js';
import { CAPABILITIES } from '../capabilities.js';
import { ChangeListener } from '../database/change-listener.js';
import { createDataSource } from './data-source.js';
import {
  InvalidRequestDetailsResponse,
  InvalidRequestResponse,
  ProblemDetailsResponse,
  ProblemResponse,
} from '../http/errors/problem.response.js';
import { FixedWindowStorage } from '../throttling/rate-limit.storage.js';
import { invalidDataProblem } from '../http/errors/problems.js';
import { Measurements } from '../process/measurements.js';
import { allFieldErrors, allProblems } from './catalogue.js';
import type { AddedParameters, AddedProblems, AddedProperties, OpenApiPart } from './capability.js';
import { modulesOf } from './modules.js';
import type { Program } from './program.js';
import { HEADERS } from '../http/openapi/openapi.headers.js';

const ABOUT = `Publishes multi-step forms, records submissions to them, and evaluates their conditions on the server.
[The contract](https://github.com/formtrail/formtrail/blob/main/docs/contract.md) states the rules. With
\`Accept: application/problem+json\`, errors are problem details (RFC 9457) with codes that are never renamed.`;

type OperationObject = NonNullable<OpenAPIObject['paths'][string]['get']>;
type Schemas = NonNullable<OpenAPIObject['components']>['schemas'];

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
    { name: 'Conditions', description: 'Which fields are visible and required, given the stored values.' },
    { name: 'Health', description: 'Probes for load balancers and orchestrators.' },
  ],
  components: {
    securitySchemes: {
      bearer: { type: 'http' as const, scheme: 'bearer', description: 'The bearer token of a user.' },
    },
  },
};

/** Creates the OpenAPI 3.1 document from the decorators of controllers and DTOs, without instantiating any of them. */
export async function createOpenApiDocument(version: string): Promise<OpenAPIObject> {
  const environment = await readEnvironment({});
  const parts: OpenApiPart[] = [];
  for (const { openApi } of CAPABILITIES) if (openApi !== undefined) parts.push(await openApi());
  const program = { environment, measurements: new Measurements() } as Program;
  const dependencies = {
    ...{ program, openApiFile: '' },
    ...{ dataSource: createDataSource({}, { size: 1, deadlines: false }), listener: new ChangeListener({}) },
  };
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.of(dependencies, new FixedWindowStorage(), {
      settings: await settingsOfCapabilities(),
      modules: await modulesOf(environment),
    }),
    new FastifyAdapter(),
    { preview: true, logger: false, abortOnError: false },
  );
  const document = SwaggerModule.createDocument(
    app,
    {
      ...FRAME,
      info: { ...FRAME.info, version },
      tags: [...FRAME.tags, ...parts.flatMap(({ tags }) => tags ?? [])],
      components: {
        ...FRAME.components,
        headers: Object.assign({ ...HEADERS }, ...parts.map(({ headers }) => headers)) as HeadersObject,
        schemas: Object.assign({ ...CONDITIONS_SCHEMAS }, ...parts.map(({ schemas }) => schemas)) as Schemas,
      },
    },
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
  const operations = Object.values(document.paths)
    .flatMap(({ get, post, put, patch, delete: remove }) => [get, post, put, patch, remove])
    .filter((operation) => operation !== undefined);
  // Every operation states its security. Exactly those that need a token describe 401.
  for (const operation of operations)
    operation.security = '401' in operation.responses ? [{ bearer: [] }] : [];
  for (const added of parts.flatMap(({ problems }) => problems ?? [])) addProblems(operations, added);
  for (const added of parts.flatMap(({ parameters }) => parameters ?? [])) addParameters(operations, added);
  for (const added of parts.flatMap(({ properties }) => properties ?? [])) addProperties(document, added);
  const problems = Object.keys(allProblems()).filter((code) => code !== invalidDataProblem({}).code);
  setCodes(document, 'ProblemDetails', problems);
  setCodes(document, 'Mistake', Object.keys(allFieldErrors()));
  return Object.assign(document, ...parts.map((part) => part.document)) as OpenAPIObject;
}

/** Names further problems in the descriptions of responses with their status. */
function addProblems(all: readonly OperationObject[], { operations, types }: AddedProblems): void {
  for (const { operationId, responses } of all)
    for (const { code, status, title } of operations.includes(operationId ?? '') ? types : []) {
      const response = responses[status] as { description: string };
      response.description += `, ${title} (\`${code}\`)`;
    }
}

function addParameters(
  all: readonly OperationObject[],
  { operations, parameters = [], headers = {} }: AddedParameters,
): void {
  for (const operation of all) {
    if (!operations.includes(operation.operationId ?? '')) continue;
    operation.parameters = [...(operation.parameters ?? []), ...parameters];
    for (const status of ['200', '304']) {
      const response = operation.responses[status] as { headers?: HeadersObject } | undefined;
      if (response !== undefined) response.headers = { ...response.headers, ...headers };
    }
  }
}

/** Adds properties to a schema, in the order of the responses. */
function addProperties(
  { components }: OpenAPIObject,
  { schema: name, after, properties, isOptional = false }: AddedProperties,
) {
  const schema = components?.schemas?.[name] as SchemaObject & Required<Pick<SchemaObject, 'required'>>;
  const all = Object.entries(schema.properties ?? {});
  all.splice(all.findIndex(([key]) => key === after) + 1, 0, ...Object.entries(properties as object));
  schema.properties = Object.fromEntries(all);
  if (isOptional) return;
  schema.required.splice(schema.required.indexOf(after) + 1, 0, ...Object.keys(properties));
}

/** Lists the codes of the core and of all capabilities as the values of the property `code` of a schema. */
function setCodes({ components }: OpenAPIObject, name: string, codes: readonly string[]): void {
  const schema = components?.schemas?.[name] as SchemaObject | undefined;
  Object.assign(schema?.properties?.code as SchemaObject, { enum: codes.toSorted() });
}
