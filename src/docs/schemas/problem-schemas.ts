import { invalid } from '../../http/problems.js';
import type { Schema } from '../openapi-types.js';
import { arrayOf, object, text } from './vocabulary.js';

export const problemSchemas = {
  Problem: object({
    message: { ...text, description: 'One sentence for people; show it or log it, but do not compare it.' },
  }),

  InvalidRequest: object({
    message: { type: 'string', const: invalid({}).message },
    errors: {
      type: 'object',
      description: 'What is wrong, by the dotted path of the property, such as `values.0.field_id`.',
      minProperties: 1,
      additionalProperties: { ...arrayOf(text), minItems: 1 },
    },
  }),

  Alive: object({ status: { type: 'string', const: 'ok' } }),

  Ready: object({
    status: { type: 'string', const: 'ok' },
    checks: object({
      database: { type: 'string', const: 'ok' },
      migrations: { type: 'string', const: 'ok' },
    }),
  }),

  NotReady: object({
    status: { type: 'string', const: 'unavailable' },
    message: text,
    checks: object({
      database: { type: 'string', enum: ['ok', 'unreachable'] },
      migrations: { type: 'string', enum: ['ok', 'pending', 'unknown'] },
    }),
  }),

  Stopping: object({ status: { type: 'string', const: 'stopping' }, message: text }),
} satisfies Record<string, Schema>;
