/** For the check of a column: its timestamps are of the years 1 to 9999, which ISO 8601 writes with four digits. */
export const isTimestamp = (column: string) =>
  `${column} >= '0001-01-01 00:00:00+00' and ${column} < '10000-01-01 00:00:00+00'`;

/** The same for a column that says until when something is valid: `infinity` stands for no end. */
export const isTimestampOrInfinity = (column: string) => `${isTimestamp(column)} or ${column} = 'infinity'`;
