import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Level, type Logger as Pino, type LoggerOptions, pino } from 'pino';
import type { Environment } from '../config/environment.js';
import { isError } from './is-error.js';
import { RepeatedLines } from './repeated-lines.js';

export const CONNECTION_LOST =
  'A connection to the database was lost, and another is opened when it is needed. Check the database if this goes on.';
export const CLOSING_FAILED =
  'Something could not be closed at the end of the process. Acknowledged writes are safe; report "err".';

/** Milliseconds. */
const SUM_UP_EVERY = 1_000;

/**
 * One JSON object a line, for the destination; `mixin` gives fields that each line has. {@link RepeatedLines} are summed up
 * every second, and when the process ends.
 */
export function createLogger(
  { logLevel }: Pick<Environment, 'logLevel'>,
  destination: DestinationStream,
  mixin?: () => object,
): Pino {
  const repeated = new RepeatedLines();
  // Not at the first of them: the timer would carry the trace of a request into the sums of others.
  setInterval(() => {
    repeated.flush();
  }, SUM_UP_EVERY).unref();
  process.once('exit', () => {
    repeated.flush();
  });
  const options: LoggerOptions = {
    level: logLevel,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: describeError },
    hooks: {
      logMethod(args, method, level) {
        repeated.log(this, args, method, level);
      },
    },
    ...(mixin && { mixin }),
  };
  return pino(options, destination);
}

/** Standard output; in the terminal of a developer, each object becomes a line to read. */
export async function standardOutput({
  production,
}: Pick<Environment, 'production'>): Promise<DestinationStream> {
  // Written at once: what waited to be written would be lost with the process.
  const stdout = pino.destination();
  if (production || !process.stdout.isTTY) return stdout;
  const { isColorSupported, prettyFactory } = await import('pino-pretty');
  const readable = prettyFactory({
    colorize: isColorSupported,
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss',
  });
  return { write: (line) => stdout.write(readable(line)) };
}

/** Nothing else of an error is logged: what the database tells of a row that it refuses is the row. */
function describeError(error: unknown) {
  if (!isError(error)) return { message: String(error) };
  return { type: error.constructor.name, message: error.message, stack: error.stack };
}

/** Sends what the application logs through Nest to the same place as everything else, an object as its fields. */
export class NestLogger implements LoggerService {
  constructor(private readonly pino: Pino) {}

  log(message: unknown, context?: string): void {
    this.write(isFramework(context) ? 'debug' : 'info', message, context);
  }

  warn(message: unknown, context?: string): void {
    this.write('warn', message, context);
  }

  error(message: unknown, ...rest: unknown[]): void {
    const context = rest.at(-1);
    this.write(isFramework(context) ? 'debug' : 'error', message, context);
  }

  debug(message: unknown, context?: string): void {
    this.write('debug', message, context);
  }

  verbose(message: unknown, context?: string): void {
    this.write('trace', message, context);
  }

  fatal(message: unknown, context?: string): void {
    this.write('fatal', message, context);
  }

  private write(level: Level, message: unknown, context: unknown): void {
    const fields = isError(message)
      ? { err: message }
      : typeof message === 'object'
        ? message
        : { msg: message };
    this.pino[level]({ context, ...fields });
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
