import type { Connection, DatabaseError, PoolClient, Submittable } from 'pg';
import { prepareValue } from 'pg/lib/utils.js';
import type { Statement } from '../statement.js';
import type { StatementTimes } from '../statement-times.js';

type Values = readonly (string | null)[];

/** Parts of pg's connection that its types describe differently or not at all. wire.spec.ts tests them. */
interface Wire {
  readonly stream: Connection['stream'];
  readonly parsedStatements: Readonly<Record<string, string | undefined>>;
  parse(message: { name: string; text: string; types: [] }): void;
  bind(message: { statement: string; values: readonly unknown[]; valueMapper: typeof prepareValue }): void;
  execute(message: object): void;
  sync(): void;
}

/**
 * A query in pg's queue. It does not request a description of its columns, because the statement defines them. Without
 * the description, the response is shorter and PostgreSQL needs one look-up less (ADR 8).
 */
class PreparedQuery implements Submittable {
  private readonly rows: Values[] = [];

  /** pg reads `name` and `text` to track prepared statements, and `callback` to set its timeout. */
  constructor(
    readonly name: string,
    readonly text: string,
    private readonly values: readonly unknown[],
    readonly callback: (error: Error | null, rows: readonly Values[]) => void,
  ) {}

  /** Sends all messages in one packet, so that PostgreSQL responds with one packet. */
  submit(connection: Connection): null {
    const wire = connection as unknown as Wire;
    const { name, text, values } = this;
    wire.stream.cork();
    // Each unnamed statement replaces the previous one, so unnamed statements are parsed each time.
    if (name === '' || wire.parsedStatements[name] === undefined) wire.parse({ name, text, types: [] });
    wire.bind({ statement: name, values, valueMapper: prepareValue });
    wire.execute({});
    wire.sync();
    wire.stream.uncork();
    return null;
  }

  handleDataRow({ fields }: { fields: Values }): void {
    this.rows.push(fields);
  }

  handleCommandComplete(): void {
    // Only the rows are needed.
  }

  handleError(error: DatabaseError): void {
    this.callback(error, []);
  }

  handleReadyForQuery(): void {
    this.callback(null, this.rows);
  }
}

/**
 * Executes a statement. If `isPrepared`, each connection prepares the statement once. `times` includes failed
 * executions.
 */
export async function runStatement<Row>(
  client: PoolClient,
  { name, text, read }: Statement<Row>,
  values: readonly unknown[],
  isPrepared: boolean,
  times?: StatementTimes,
): Promise<Row[]> {
  try {
    const rows = await new Promise<readonly Values[]>((resolve, reject) => {
      const startedAt = times === undefined ? 0 : performance.now();
      const done = (error: Error | null, found: readonly Values[]) => {
        times?.add(name, performance.now() - startedAt);
        if (error === null) resolve(found);
        else reject(error);
      };
      client.query(new PreparedQuery(isPrepared ? name : '', text, values, done));
    });
    return rows.map(read);
  } catch (error) {
    // The stack trace of the caller is more useful than the stack trace of the socket.
    Error.captureStackTrace(error as Error);
    throw error;
  }
}
