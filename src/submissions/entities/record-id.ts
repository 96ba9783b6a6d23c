import type { ColumnOptions } from 'typeorm';

/** Options of a column with the id of a record: a number, as on the wire, where TypeORM has the text that pg reads of a `bigint`. */
export const RECORD_ID = {
  type: 'bigint',
  transformer: {
    from: (text: string | null) => (text === null ? null : Number(text)),
    to: (id: number | null | undefined) => id,
  },
} satisfies ColumnOptions;
