import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';

/** Returns TypeORM's connection pool. TypeORM's driver for PostgreSQL has the pool in an undocumented property. */
export function poolOf({ driver }: DataSource): Pool {
  return (driver as unknown as { master: Pool }).master;
}
