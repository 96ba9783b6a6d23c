import { applyDecorators } from '@nestjs/common';
import { ApiOperation } from '#swagger';
import { ApiContent } from '../http/openapi/openapi.decorators.js';
import { commonHeaders, retryHeaders } from '../http/openapi/openapi.headers.js';
import { one, oneOf } from '../http/openapi/openapi.schemas.js';
import { AliveResponse, NotReadyResponse, ReadyResponse, StoppingResponse } from './health.response.js';

export const ApiCheckLiveness = () =>
  applyDecorators(
    ApiOperation({
      operationId: 'checkLiveness',
      summary: 'Does the process answer?',
      description:
        'Says nothing of the database: restarting the process would not bring that back. Not counted.',
    }),
    ApiContent({
      ...one(AliveResponse),
      description: 'It does.',
      headers: commonHeaders,
      examples: { alive: { value: { status: 'ok' } } },
    }),
  );

export const ApiCheckReadiness = () =>
  applyDecorators(
    ApiOperation({
      operationId: 'checkReadiness',
      summary: 'Can requests be served?',
      description: 'Asks the database which migrations are in. Not counted by the rate limit.',
    }),
    ApiContent({
      ...one(ReadyResponse),
      description: 'They can.',
      headers: commonHeaders,
      examples: { ready: { value: { status: 'ok', checks: { database: 'ok', migrations: 'ok' } } } },
    }),
    ApiContent({
      ...oneOf(NotReadyResponse, StoppingResponse),
      status: 503,
      description:
        'The database cannot be reached or its schema is behind, or the server has been told to stop.',
      headers: { ...retryHeaders, ...commonHeaders },
      examples: {
        unreachable: {
          value: {
            status: 'unavailable',
            message: 'The database cannot be reached at the moment.',
            checks: { database: 'unreachable', migrations: 'unknown' },
          },
        },
        behind: {
          value: {
            status: 'unavailable',
            message: 'The schema of the database is behind; run "db migrate".',
            checks: { database: 'ok', migrations: 'pending' },
          },
        },
        stopping: {
          value: { status: 'stopping', message: 'The server is stopping; send requests to another one.' },
        },
      },
    }),
  );
