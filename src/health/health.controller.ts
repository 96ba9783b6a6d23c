import { Controller, Get, Logger, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Public } from '../auth/public.decorator.js';
import { Database } from '../database/database.js';
import { statement } from '../database/statement.js';

const PING = statement('health.ping', 'select 1');

@Public()
@Controller('health')
export class HealthController {
  private readonly logger = new Logger('Health');

  constructor(private readonly database: Database) {}

  /** Whether the process answers at all. */
  @Get('live')
  live() {
    return { status: 'ok' };
  }

  /** Whether requests can be served. */
  @Get('ready')
  async ready(@Res({ passthrough: true }) reply: FastifyReply) {
    try {
      await this.database.query(PING);
      return { status: 'ok', checks: { database: 'ok' } };
    } catch (error) {
      this.logger.warn(`not ready: ${(error as Error).message}`);
      void reply.status(503).header('Retry-After', '2');
      const message = 'The database cannot be reached at the moment.';
      return { status: 'unavailable', message, checks: { database: 'unreachable' } };
    }
  }
}
