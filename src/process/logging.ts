import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Level, type Logger as Pino, type LoggerOptions, pino } from 'pino';
import type { Environment } from '../config/environment.js';
import { isError } from './is-error.js';
import { RepeatedLines } from './repeated-lines.js';

export const CONNECTION_LOST =
  'A connection to the database was lost. The service opens another when it needs one. If this happens often, check the database.';
export const CLOSING_FAILED =
  'A resource could not be closed at the end of the process. Acknowledged writes are safe. Please report "err" as a bug.';

/** Milliseconds between two flushes of repeated lines. */
const FLUSH_INTERVAL = 1_000;

/**
 * Creates a logger that writes one JSON object per line. Each line has the fields that `mixin` returns. Repeated lines are counted,
 * and written once a second and when the process ends ({@link RepeatedLines}).
 */
export function createLogger(
  { logLevel }: Pick<Environment, 'logLevel'>,
  destination: DestinationStream,
  mixin?: () => object,
): Pino {
  const repeated = new RepeatedLines();
  // Start the timer here. If a request started it, lines about other requests would have the trace id of that request.
  setInterval(() => {
    repeated.flush();
  }, FLUSH_INTERVAL).unref();
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

/** Returns standard output. In a terminal, outside production, each JSON object becomes a readable line. */
export async function standardOutput({
  production,
}: Pick<Environment, 'production'>): Promise<DestinationStream> {
  // Synchronous, so that no line is lost when the process ends.
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

/** Omits all properties but these, because `detail` of a database error contains row values. */
function describeError(error: unknown) {
  if (!isError(error)) return { message: String(error) };
  return { type: error.constructor.name, message: error.message, stack: error.stack };
}

/** Passes the messages of Nest's loggers to pino. The properties of an object become fields of the line. */
export class NestLogger implements LoggerService {
  constructor(private readonly pino: Pino) {}

  readonly log = (message: unknown, context?: string) =>
    this.write(isFramework(context) ? 'debug' : 'info', message, context);
  readonly warn = (message: unknown, context?: string) => this.write('warn', message, context);
  readonly debug = (message: unknown, context?: string) => this.write('debug', message, context);
  readonly verbose = (message: unknown, context?: string) => this.write('trace', message, context);
  readonly fatal = (message: unknown, context?: string) => this.write('fatal', message, context);

  error(message: unknown, ...rest: unknown[]): void {
    const context = rest.at(-1);
    this.write(isFramework(context) ? 'debug' : 'error', message, context);
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
  'ExceptionHandler',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestApplication',
]);

/** Whether Nest logs about its own start. Only developers need these messages, because Nest also throws the errors that it logs. */
const isFramework = (context: unknown): boolean => FRAMEWORK_CONTEXTS.has(context);
