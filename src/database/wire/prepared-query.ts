import type { Connection, DatabaseError, PoolClient, Submittable } from 'pg';
import { prepareValue } from 'pg/lib/utils.js';
import type { Statement } from '../statement.js';
import type { StatementTimes } from '../statement-times.js';

type Values = readonly (string | null)[];

/** What this relies on of pg's connection, and pg's types tell otherwise or not at all (wire.spec.ts). */
interface Wire {
  readonly stream: Connection['stream'];
  readonly parsedStatements: Readonly<Record<string, string | undefined>>;
  parse(message: { name: string; text: string; types: [] }): void;
  bind(message: { statement: string; values: readonly unknown[]; valueMapper: typeof prepareValue }): void;
  execute(message: object): void;
  sync(): void;
}

/**
 * A query in pg's queue that does not ask for the description of its columns, because the statement knows them: each
 * response is shorter, and nothing is looked up for it (ADR 18).
 */
class PreparedQuery implements Submittable {
  private readonly rows: Values[] = [];

  /** `name`, `text` and `callback` are what pg looks for: it notes what is prepared, and measures the time. */
  constructor(
    readonly name: string,
    readonly text: string,
    private readonly values: readonly unknown[],
    readonly callback: (error: Error | null, rows: readonly Values[]) => void,
  ) {}

  /** All messages go in one packet, and are answered with one. */
  submit(connection: Connection): null {
    const wire = connection as unknown as Wire;
    const { name, text, values } = this;
    wire.stream.cork();
    // The unnamed statement lasts until the next one.
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

/**
 * Runs a statement, or the `text` that it has elsewhere, prepared once for each connection unless `isPrepared` is false.
 * Measures it where there are `times`, an error like a result.
 */
export async function runStatement<Row>(
  client: PoolClient,
  { name, text: itsText, read }: Statement<Row>,
  values: readonly unknown[],
  isPrepared: boolean,
  text = itsText,
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
    // Of the caller, instead of the socket that the error came from.
    Error.captureStackTrace(error as Error);
    throw error;
  }
}
