import pg from 'pg';

/** A statement that a program sends to the database: its SQL, or its name if it is prepared, and its parameters. */
export interface SentStatement {
  readonly name: string;
  readonly values: readonly unknown[];
}

/** Returns all statements that this process sends during `work`, except the probes of the listeners. */
export async function statementsDuring(work: () => Promise<unknown>): Promise<SentStatement[]> {
  const query = jest.spyOn(pg.Client.prototype, 'query');
  try {
    await work();
    return withoutProbes(query.mock.calls.map(read));
  } finally {
    query.mockRestore();
  }
}

export const withoutProbes = (sent: readonly SentStatement[]): SentStatement[] =>
  sent.filter(({ name }) => name !== 'show transaction_read_only');

function read([query, parameters]: unknown[]): SentStatement {
  if (typeof query === 'string') return { name: query, values: Array.isArray(parameters) ? parameters : [] };
  const { name, text, values = [] } = query as pg.QueryConfig;
  return { name: name ?? text, values };
}
