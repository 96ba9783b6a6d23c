import { POSITION_SCHEMA as ID, TIMESTAMP_SCHEMA, UUID_SCHEMA } from '../../http/openapi/openapi.schemas.js';
import type { OpenApiPart } from '../../server/capability.js';
import { WEBHOOK_EVENTS, type WebhookEvent } from './entities/webhook-endpoint.js';

const VERSION = { type: ['integer', 'null'] };

const object = (properties: Readonly<Record<string, object>>, optional: readonly string[] = []) => ({
  type: 'object',
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  properties,
});

const VALUE = object(
  {
    field_id: ID,
    field_code: { type: 'string' },
    value: { type: 'string' },
    entity_record_id: { type: ['integer', 'null'] },
    hidden: { type: 'boolean', enum: [true], description: 'Present if the field was hidden.' },
  },
  ['hidden'],
);

const SUBMISSION = object(
  {
    uuid: UUID_SCHEMA,
    form_id: ID,
    status: { type: 'string', enum: ['draft', 'completed'] },
    current_step: { type: 'integer', minimum: 1 },
    begun_version: VERSION,
    completed_version: VERSION,
    locale: { type: ['string', 'null'], maxLength: 35, description: 'The language of the submission.' },
    created_at: TIMESTAMP_SCHEMA,
    updated_at: TIMESTAMP_SCHEMA,
    meta: { type: ['object', 'null'] },
    user_email: { type: ['string', 'null'], description: 'Null if the user is a respondent.' },
    values: { type: 'array', items: VALUE },
  },
  ['meta', 'user_email', 'values'],
);

/** The body of a delivery (W6), as the statement `RELAY` writes it. */
export const WEBHOOK_SCHEMA = object({
  type: { type: 'string', enum: [...WEBHOOK_EVENTS] },
  timestamp: TIMESTAMP_SCHEMA,
  data: object({
    form: object({ uuid: UUID_SCHEMA, slug: { type: 'string' }, version: ID }),
    submission: {
      ...SUBMISSION,
      description:
        '`meta`, `user_email` and `values` are present if the endpoint has full bodies. If it gets no personal data, only `values` ' +
        'is present, without the values of personal fields.',
    },
    truncated: { type: 'boolean', description: 'True if a thin body replaces one of over 256 KiB.' },
  }),
});

const SUMMARIES: Readonly<Record<WebhookEvent, string>> = {
  'submission.created': 'A submission was created',
  'submission.completed': 'A submission was completed',
  'submission.deleted': 'A submission was deleted',
};

/** The headers of a delivery (W3). */
const HEADERS = {
  'webhook-id': 'The id of the webhook, which is the same in all attempts.',
  'webhook-timestamp': 'The time of the attempt, in seconds since 1970.',
  'webhook-signature':
    '`v1,` and the signature in base64. While a secret is being replaced, there are two signatures, separated by a space.',
};

/** The property `webhooks` of the OpenAPI document, by event. */
const WEBHOOKS = Object.fromEntries(
  WEBHOOK_EVENTS.map((event) => [
    event,
    {
      post: {
        operationId: event.replace(/\.(.)/, (_, letter: string) => letter.toUpperCase()),
        summary: SUMMARIES[event],
        description:
          'Signed as Standard Webhooks specifies. A webhook may arrive more than once, and webhooks arrive in any order.',
        tags: ['Webhooks'],
        security: [],
        parameters: Object.entries(HEADERS).map(([name, description]) => ({
          name,
          description,
          in: 'header' as const,
          required: true,
          schema: { type: 'string' },
        })),
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Webhook' } } },
        },
        responses: {
          '2XX': { description: 'The webhook is received, and is not sent again.' },
          default: {
            description:
              'The webhook is sent again, with up to ten attempts over 75 hours. 410 disables the endpoint instead.',
          },
        },
      },
    },
  ]),
);

export const OPEN_API: OpenApiPart = {
  tags: [{ name: 'Webhooks', description: 'Requests that the service sends to webhook endpoints.' }],
  schemas: { Webhook: WEBHOOK_SCHEMA },
  document: { webhooks: WEBHOOKS },
};
