import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Logger as Pino, pino } from 'pino';
import type { Environment } from './config/environment.js';

/** One JSON object a line, to standard output unless `destination` is given. */
export function createLogger(
  { logLevel }: Pick<Environment, 'logLevel'>,
  destination: DestinationStream = pino.destination(),
): Pino {
  return pino({ level: logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
}

/** Sends what the application logs through Nest to the same place as everything else. */
export class NestLogger implements LoggerService {
  constructor(private readonly pino: Pino) {}

  log(message: unknown, context?: string): void {
    if (isFramework(context)) this.pino.debug({ context }, String(message));
    else this.pino.info({ context }, String(message));
  }

  warn(message: unknown, context?: string): void {
    this.pino.warn({ context }, String(message));
  }

  error(message: unknown, ...rest: unknown[]): void {
    const context = rest.at(-1);
    const text = message instanceof Error ? (message.stack ?? message.message) : String(message);
    if (isFramework(context)) this.pino.debug({ context }, text);
    else this.pino.error({ context }, text);
  }

  debug(message: unknown, context?: string): void {
    this.pino.debug({ context }, String(message));
  }

  verbose(message: unknown, context?: string): void {
    this.pino.trace({ context }, String(message));
  }

  fatal(message: unknown, context?: string): void {
    this.pino.fatal({ context }, String(message));
  }
}

const FRAMEWORK_CONTEXTS = new Set<unknown>([
  'NestFactory',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestApplication',
]);

/** What Nest says of its own start is of use to developers only; what fails there is thrown as well. */
function isFramework(context: unknown): boolean {
  return FRAMEWORK_CONTEXTS.has(context);
}
