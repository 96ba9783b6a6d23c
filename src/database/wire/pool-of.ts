import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';

/** The pool of pg that TypeORM opens. Its driver for PostgreSQL keeps it in a property that is not documented. */
export function poolOf({ driver }: DataSource): Pool {
  return (driver as unknown as { master: Pool }).master;
}
