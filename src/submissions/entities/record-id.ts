import type { ColumnOptions } from 'typeorm';

/** Options of a column with the id of a record. Converts the id to a number, because pg returns a `bigint` as text. */
export const RECORD_ID = {
  type: 'bigint',
  transformer: {
    from: (text: string | null) => (text === null ? null : Number(text)),
    to: (id: number | null | undefined) => id,
  },
} satisfies ColumnOptions;
