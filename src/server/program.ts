import type { Logger } from 'pino';
import type { Environment } from '../config/environment.js';
import type { OpenDatabase } from '../database/connection.js';
import type { Close } from '../process/close-all.js';
import type { InSpan } from '../process/in-span.js';
import type { Measurements } from '../process/measurements.js';

/** The resources of a long-running process. Providers can inject it. */
export abstract class Program {
  abstract readonly environment: Environment;
  abstract readonly packageRoot: string;
  abstract readonly logger: Logger;
  abstract readonly database: OpenDatabase;
  abstract readonly measurements: Measurements;
  /** Traces work that no request causes. */
  abstract readonly inSpan: InSpan;
  /** Fields of the line of the log that says that the process has started. */
  abstract readonly startFields: object;
  /** Functions that close the open resources, called in this order. Add a new function in front. */
  abstract readonly closing: Close[];
  /** Aborted by a signal during the start. Check it between two steps that take long. */
  abstract readonly interruption: AbortSignal;
}
