import type { LogFn, Logger } from 'pino';
import { isError } from './is-error.js';

/**
 * Maximum number of kinds. Methods, routes and statuses alone cannot cause more kinds. Lines of further kinds are only counted.
 */
const MAX_KINDS = 500;
/** Lines are of one kind only if their texts have the same first characters, up to this number. */
const COMPARED_CHARACTERS = 200;
const WARN = 40;

/** Statuses of requests that the service rejects before it reads a submission, and 499, if the client closed the connection. */
const REJECTED: ReadonlySet<unknown> = new Set([400, 401, 408, 413, 415, 417, 429, 431, 499]);

type Fields = Readonly<Record<string, unknown>>;

/** The lines of one kind that are not written yet. */
interface Kind {
  count: number;
  firstRequestId?: unknown;
  write: (sum: Fields) => void;
}

/**
 * Limits the log during an outage or an attack. The first line of a kind is written at once. Further lines of that
 * kind are counted, and {@link flush} writes the last counted line with the number of counted lines. Lines about
 * normal use of the API, such as successful requests, are always written.
 */
export class RepeatedLines {
  private readonly kinds = new Map<string, Kind>();

  /** The hook `logMethod` of pino. */
  log(logger: Logger, args: Parameters<LogFn>, method: LogFn, level: number): void {
    const [given, text] = args as [unknown, string?];
    const fields = fieldsOf(given);
    if (!canFlood(level, fields)) {
      method.apply(logger, args);
      return;
    }
    const key = keyOf(level, fields, text);
    const kind = this.kinds.get(key);
    if (kind !== undefined) {
      count(kind, fields, (sum) => {
        method.call(logger, { ...fields, ...sum }, text);
      });
    } else if (this.kinds.size < MAX_KINDS) {
      this.kinds.set(key, { count: 0, write: () => undefined });
      method.apply(logger, args);
    } else {
      this.countOnly(fields, level, (sum) => {
        const { request_id } = fields;
        method.call(
          logger,
          { request_id, ...sum },
          'Too many kinds of log lines in one second. These lines were only counted.',
        );
      });
    }
  }

  /** Writes the counted lines. Call this every second, and at the end of the process. */
  flush(): void {
    for (const [key, kind] of this.kinds) {
      const { count, firstRequestId: first_request_id, write } = kind;
      if (count === 0) this.kinds.delete(key);
      else write(count === 1 ? {} : { first_request_id, repeated: count });
      kind.count = 0;
    }
  }

  private countOnly(fields: Fields, level: number, write: Kind['write']): void {
    const key = `further kinds of level ${level}`;
    const kind = this.kinds.get(key) ?? { count: 0, write };
    this.kinds.set(key, kind);
    count(kind, fields, write);
  }
}

function count(kind: Kind, { request_id }: Fields, write: Kind['write']): void {
  if (kind.count === 0) kind.firstRequestId = request_id;
  kind.count += 1;
  kind.write = write;
}

function fieldsOf(given: unknown): Fields {
  if (isError(given)) return { err: given };
  return typeof given === 'object' && given !== null ? (given as Fields) : { msg: given };
}

/** Whether clients, or an outage, can cause an unlimited number of these lines. */
function canFlood(level: number, { status, route }: Fields): boolean {
  return level >= WARN || route === null || REJECTED.has(status);
}

function keyOf(level: number, fields: Fields, text: string | undefined): string {
  const { msg = text, context, method, route, status, endpoint_id, reason, err } = fields;
  const texts = [msg, isError(err) ? err.message : reason].map((each) =>
    String(each).slice(0, COMPARED_CHARACTERS),
  );
  return [level, ...texts, context, method, route, status, endpoint_id].join(' ');
}
