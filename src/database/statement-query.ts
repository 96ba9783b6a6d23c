import type { Connection, DatabaseError, PoolClient, Submittable } from 'pg';
import { prepareValue } from 'pg/lib/utils.js';
import type { Statement } from './statement.js';

type Values = readonly (string | null)[];

/** Of pg's connection, what the types of pg tell otherwise or not at all. */
interface Wire {
  readonly stream: Connection['stream'];
  readonly parsedStatements: Readonly<Record<string, string | undefined>>;
  parse(message: { name: string; text: string; types: [] }): void;
  bind(message: { statement: string; values: readonly unknown[]; valueMapper: typeof prepareValue }): void;
  execute(message: object): void;
  sync(): void;
}

/**
 * A statement under way on a connection of pg, which costs half as much as pg's own queries: what the columns are is known
 * and need not be described again with every answer (ADR 14).
 */
class StatementQuery implements Submittable {
  private readonly rows: Values[] = [];

  /** `name`, `text` and `callback` are what pg looks for: it notes what is prepared, and minds the time. */
  constructor(
    readonly name: string,
    readonly text: string,
    private readonly values: readonly unknown[],
    readonly callback: (error: Error | null, rows: readonly Values[]) => void,
  ) {}

  /** The server gets all messages at once, and answers them with one. */
  submit(connection: Connection): null {
    const wire = connection as unknown as Wire;
    const { name, text, values } = this;
    wire.stream.cork();
    // Without a name it is forgotten with the next one.
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
    // Its rows are all that is asked for.
  }

  handleError(error: DatabaseError): void {
    this.callback(error, []);
  }

  handleReadyForQuery(): void {
    this.callback(null, this.rows);
  }
}

/** Runs a statement, prepared once for each connection unless `isPrepared` is false. */
export async function runStatement<Row>(
  client: PoolClient,
  { name, text, read }: Statement<Row>,
  values: readonly unknown[],
  isPrepared: boolean,
): Promise<Row[]> {
  try {
    const rows = await new Promise<readonly Values[]>((resolve, reject) => {
      const done = (error: Error | null, found: readonly Values[]) => {
        if (error === null) resolve(found);
        else reject(error);
      };
      client.query(new StatementQuery(isPrepared ? name : '', text, values, done));
    });
    return rows.map(read);
  } catch (error) {
    // Of the caller, instead of the socket that the error came from.
    Error.captureStackTrace(error as Error);
    throw error;
  }
}
