import { headers } from './headers.js';
import type { OpenApiDocument } from './openapi-types.js';
import { parameters } from './parameters.js';
import { conditionPaths } from './paths/condition-paths.js';
import { formPaths } from './paths/form-paths.js';
import { healthPaths } from './paths/health-paths.js';
import { stepPaths } from './paths/step-paths.js';
import { submissionPaths } from './paths/submission-paths.js';
import { responses } from './responses.js';
import { formSchemas } from './schemas/form-schemas.js';
import { problemSchemas } from './schemas/problem-schemas.js';
import { submissionSchemas } from './schemas/submission-schemas.js';

export interface DocumentOptions {
  /** Where clients reach the service, without a trailing slash; undefined: where they read the document. */
  readonly publicUrl?: string | undefined;
  /** Of the package. */
  readonly version: string;
}

const ABOUT = `Publishes multi-step forms, records submissions to them, and evaluates their conditions on the server.

A client reads the schema of a form, begins a submission, stores the values of a step, asks which fields are visible
and required now, goes to the next step, and completes the submission at the end.

- **Bodies** are JSON. What succeeds is under \`data\`; what fails has a \`message\`, and \`errors\` by property where
  properties are at fault. Properties of a request that are not described here are ignored.
- **Submissions** need \`Authorization: Bearer <token>\`, and are visible to the user who began them only.
- **Limits**: the \`X-RateLimit-*\` headers say what is left of the current minute; after 429, wait for
  \`Retry-After\` seconds.
- **Sending again**: with an \`Idempotency-Key\`, beginning a submission and changing its step happen once however
  often they are sent. Storing values and completing can be repeated as they are.
- **Two tabs**: with \`If-Match\`, a write is refused where another one came first.
- **Support**: \`X-Request-Id\` is on every answer, yours where you send one. Name it when you ask about a fault.
- Everything under \`/api/v1\` stays as it is for those who use it; only optional things are added.`;

/** The interface as OpenAPI 3.1. */
export function openApiDocument({ publicUrl, version }: DocumentOptions): OpenApiDocument {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Formtrail',
      version,
      summary: 'Headless form service',
      description: ABOUT,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: publicUrl ?? '/' }],
    tags: [
      { name: 'Forms', description: 'What there is to fill in. No token needed.' },
      { name: 'Submissions', description: 'Drafts, their values and steps, and completion.' },
      { name: 'Conditions', description: 'Which fields are visible and required, by what is stored.' },
      { name: 'Health', description: 'For probes.' },
    ],
    paths: { ...formPaths, ...submissionPaths, ...stepPaths, ...conditionPaths, ...healthPaths },
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description:
            'A token of a user, as the operator of the service or its administration panel issues it.',
        },
      },
      parameters,
      headers,
      responses,
      schemas: { ...formSchemas, ...submissionSchemas, ...problemSchemas },
    },
  };
}
