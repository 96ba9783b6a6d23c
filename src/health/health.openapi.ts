import { ApiContent, ApiRoute } from '../http/openapi/openapi.decorators.js';
import { commonHeaders, retryHeaders } from '../http/openapi/openapi.headers.js';
import { one, oneOf } from '../http/openapi/openapi.schemas.js';
import { AliveResponse, NotReadyResponse, ReadyResponse, StoppingResponse } from './health.response.js';

export const ApiCheckLiveness = () =>
  ApiRoute(
    'checkLiveness',
    'Does the process respond?',
    'Does not check the database, because restarting the process would not repair it. Not counted by the rate limit.',
    ApiContent(200, one(AliveResponse), 'The process responds.', commonHeaders, {
      alive: { value: { status: 'ok' } },
    }),
  );

export const ApiCheckReadiness = () =>
  ApiRoute(
    'checkReadiness',
    'Is the service ready for requests?',
    'Checks that the database is reachable and has all migrations. Not counted by the rate limit.',
    ApiContent(200, one(ReadyResponse), 'The service is ready.', commonHeaders, {
      ready: { value: { status: 'ok', checks: { database: 'ok', migrations: 'ok' } } },
    }),
    ApiContent(
      503,
      oneOf(NotReadyResponse, StoppingResponse),
      'The database cannot be reached or its schema is behind, or the server is stopping.',
      { ...retryHeaders, ...commonHeaders },
      {
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
    ),
  );
