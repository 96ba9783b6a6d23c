import { Controller, Get, HttpStatus, Logger, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DataSource } from 'typeorm';
import { ApiTags } from '#swagger';
import { Public } from '../../auth/public.decorator.js';
import { migrationStatus } from '../../migrations/migrate.js';
import { describeRequest } from '../../http/request-log.js';
import { ApiRoute, ApiSuccess } from '../../http/openapi/openapi.decorators.js';
import { commonHeaders, retryAfterHeaders } from '../../http/openapi/openapi.headers.js';
import { one, oneOf } from '../../http/openapi/openapi.schemas.js';
import { AliveResponse, NotReadyResponse, ReadyResponse, StoppingResponse } from './health.response.js';
import { Lifecycle } from './lifecycle.js';

const READY: ReadyResponse = { status: 'ok', checks: { database: 'ok', migrations: 'ok' } };
const STOPPING: StoppingResponse = {
  status: 'stopping',
  message: 'The server is stopping; send requests to another one.',
};

type Readiness = ReadyResponse | NotReadyResponse | StoppingResponse;

@Public()
@ApiTags('Health')
@Controller('health')
export class HealthController {
  private readonly logger = new Logger('Health');

  constructor(
    private readonly dataSource: DataSource,
    private readonly lifecycle: Lifecycle,
  ) {}

  @ApiRoute('Does the process respond?', 'Does not check the database. Not counted by the rate limit.')
  @ApiSuccess(200, one(AliveResponse, { status: 'ok' }), commonHeaders)
  @Get('live')
  checkLiveness(): AliveResponse {
    return { status: 'ok' };
  }

  @ApiRoute(
    'Is the service ready for requests?',
    'Checks that the database is reachable and has all migrations. Not counted by the rate limit.',
  )
  @ApiSuccess(200, one(ReadyResponse, READY), commonHeaders)
  @ApiSuccess(503, oneOf([NotReadyResponse, StoppingResponse], STOPPING), {
    ...commonHeaders,
    ...retryAfterHeaders,
  })
  @Get('ready')
  async checkReadiness(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Readiness> {
    const readiness = await this.check(request);
    if (readiness.status !== 'ok')
      void reply.status(HttpStatus.SERVICE_UNAVAILABLE).header('Retry-After', '2');
    return readiness;
  }

  private async check(request: FastifyRequest): Promise<Readiness> {
    if (this.lifecycle.isStopping) return STOPPING;
    try {
      // Ignores migrations that this build does not know. They belong to a newer build, which may be rolling out at
      // the same time.
      const migrations = await migrationStatus(this.dataSource);
      if (migrations.every(({ isApplied }) => isApplied)) return READY;
      const message = 'The schema of the database is behind; run "db migrate".';
      this.logger.error({
        ...describeRequest(request),
        msg: 'not ready: the schema of the database is behind. Run "db migrate".',
      });
      return { status: 'unavailable', message, checks: { database: 'ok', migrations: 'pending' } };
    } catch (error) {
      this.logger.error({
        ...describeRequest(request),
        reason: (error as Error).message,
        msg: 'not ready: the database cannot be reached, or does not respond in time. Check the database, then DATABASE_URL.',
      });
      const message = 'The database cannot be reached at the moment.';
      return { status: 'unavailable', message, checks: { database: 'unreachable', migrations: 'unknown' } };
    }
  }
}
