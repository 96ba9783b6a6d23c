import { CONDITIONS_SHAPES } from '../config/environment.js';
import type { Parameter, Reference } from './openapi-types.js';
import { formUuid, submissionUuid } from './examples/ids.js';
import { slug } from './schemas/form-schemas.js';
import { MAX_INTEGER, uuid } from './schemas/vocabulary.js';

// The page at /docs fills the `example` of a parameter in. What cannot be right for everybody, such as the UUID of a
// submission, and headers that change the outcome, are examples of their schema instead.
export const parameters = {
  Page: {
    name: 'page',
    in: 'query',
    description: 'A page past the last one is empty, not an error.',
    schema: { type: 'integer', minimum: 1, maximum: MAX_INTEGER, default: 1 },
    example: 1,
  },
  PerPage: {
    name: 'per_page',
    in: 'query',
    description: 'How many forms make a page. The links keep it where you send it.',
    schema: { type: 'integer', minimum: 1, maximum: 100, default: 15 },
    example: 15,
  },
  FormUuid: {
    name: 'uuid',
    in: 'path',
    required: true,
    description: 'The `uuid` of a form, in any letter case. A malformed one is 404.',
    schema: uuid,
    example: formUuid,
  },
  Slug: {
    name: 'slug',
    in: 'path',
    required: true,
    description: 'The `slug` of a form. A malformed one is 404.',
    schema: slug,
    example: 'job-application',
  },
  SubmissionUuid: {
    name: 'uuid',
    in: 'path',
    required: true,
    description:
      'The `uuid` that beginning the submission answered, in any letter case. A malformed one is 404, as is that of ' +
      'somebody else.',
    schema: { ...uuid, examples: [submissionUuid] },
  },
  Shape: {
    name: 'shape',
    in: 'query',
    description:
      '`map`: an object by field id. `list`: an array in the order of the schema, with the codes. Without it you ' +
      'get the map, unless the operator has set CONDITIONS_SHAPE; send it to be sure.',
    schema: { type: 'string', enum: CONDITIONS_SHAPES },
    example: 'map',
  },
  Explain: {
    name: 'explain',
    in: 'query',
    description:
      '`true`: each state says which conditions of the field are met, for whoever builds the form.',
    schema: { type: 'string', enum: ['true', 'false'], default: 'false' },
    example: 'false',
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The ETag of what you hold. If it is still the same, the answer is 304 without a body.',
    schema: { type: 'string', examples: ['"nruedbRpo1DHGEXkq8n-BjuQpdu"'] },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description:
      'The ETag of the state that your write builds on, quotes included. If the submission has been written to ' +
      'since, the answer is 412 and nothing changes. Without the header, or with `*`, nothing is checked.',
    schema: { type: 'string', examples: ['"2026-11-21T10:15:30.123456Z"'] },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A text of your choice, such as a random UUID: new for each thing you want done, the same when you send it ' +
      'again. For 24 hours the same request with the same key gets the first answer and is not carried out twice. ' +
      'Only successes are remembered: after an error, send the request again with the same key.',
    schema: {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      pattern: '^[ -~]+$',
      examples: ['b3f1c2de-6a0f-4f0e-8a55-0d9c6c1f7e21'],
    },
  },
} satisfies Record<string, Parameter>;

export function parameterRefs(...names: (keyof typeof parameters)[]): Reference[] {
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}
