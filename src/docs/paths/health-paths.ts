import { commonHeaders, retryHeaders } from '../headers.js';
import type { Paths } from '../openapi-types.js';
import { json } from '../responses.js';
import { schemaRef } from '../schemas/vocabulary.js';

const alive = { status: 'ok' };
const ready = { status: 'ok', checks: { database: 'ok', migrations: 'ok' } };
const unreachable = {
  status: 'unavailable',
  message: 'The database cannot be reached at the moment.',
  checks: { database: 'unreachable', migrations: 'unknown' },
};
const behind = {
  status: 'unavailable',
  message: 'The schema of the database is behind; run "db migrate".',
  checks: { database: 'ok', migrations: 'pending' },
};
const stopping = { status: 'stopping', message: 'The server is stopping; send requests to another one.' };

export const healthPaths: Paths = {
  '/health/live': {
    get: {
      operationId: 'checkLiveness',
      summary: 'Does the process answer?',
      description:
        'Says nothing of the database: restarting the process would not bring that back. Not counted.',
      tags: ['Health'],
      security: [],
      responses: {
        200: {
          description: 'It does.',
          headers: commonHeaders,
          content: json(schemaRef('Alive'), { alive: { value: alive } }),
        },
      },
    },
  },

  '/health/ready': {
    get: {
      operationId: 'checkReadiness',
      summary: 'Can requests be served?',
      description: 'Asks the database which migrations are in. Not counted by the rate limit.',
      tags: ['Health'],
      security: [],
      responses: {
        200: {
          description: 'They can.',
          headers: commonHeaders,
          content: json(schemaRef('Ready'), { ready: { value: ready } }),
        },
        503: {
          description:
            'The database cannot be reached or its schema is behind, or the server has been told to stop.',
          headers: { ...retryHeaders, ...commonHeaders },
          content: json(
            { oneOf: [schemaRef('NotReady'), schemaRef('Stopping')] },
            {
              unreachable: { value: unreachable },
              behind: { value: behind },
              stopping: { value: stopping },
            },
          ),
        },
      },
    },
  },
};
