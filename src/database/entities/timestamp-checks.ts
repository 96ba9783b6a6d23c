/**
 * SQL for the check of a timestamp column. The check accepts the years 1 to 9999, which ISO 8601 writes with four
 * digits.
 */
export const isTimestamp = (column: string) =>
  `${column} >= '0001-01-01 00:00:00+00' and ${column} < '10000-01-01 00:00:00+00'`;

/**
 * SQL for the check of a column that says when something expires. The check also accepts `infinity`, which means
 * never.
 */
export const isTimestampOrInfinity = (column: string) => `${isTimestamp(column)} or ${column} = 'infinity'`;
