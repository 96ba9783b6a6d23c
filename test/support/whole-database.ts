import type { DataSource } from 'typeorm';

/** Returns all rows of all tables as text, by table. */
export async function wholeDatabase({ manager }: DataSource): Promise<Record<string, string[]>> {
  const tables = await manager.query<{ name: string }[]>(
    `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`,
  );
  const rows: Record<string, string[]> = {};
  for (const { name } of tables) {
    const found = await manager.query<{ row: string }[]>(`select t::text as row from "${name}" t order by 1`);
    rows[name] = found.map(({ row }) => row);
  }
  return rows;
}
