import type { DataSource } from 'typeorm';
import { insertAuditEntry } from '../insert-audit-entry.js';
import { isoTimestampSql } from '../../../database/iso-timestamp.js';
import { asOperator } from '../../../cli/as-operator.js';

export interface ListedAuditEntry {
  readonly id: number;
  readonly happened_at: string;
  readonly actor: string;
  readonly database_role: string;
  readonly action: string;
  readonly subject: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** Number of audit log entries per query. A small page needs little memory. */
const PAGE = 500;

const LIST = `
  select id::float8 as id, ${isoTimestampSql('happened_at')} as happened_at, actor, database_role, action, subject, detail,
         happened_at::text as position
    from audit_log
   where ($1::timestamptz is null or happened_at >= $1)
     and ($2::timestamptz is null or (happened_at, id) > ($2, $3::bigint))
   order by audit_log.happened_at, audit_log.id limit ${PAGE}`;

/** Yields pages of the audit log entries since a time, oldest first. */
export async function* listAuditEntries(
  { manager }: DataSource,
  since: string | undefined,
): AsyncGenerator<readonly ListedAuditEntry[]> {
  let after: [position?: string, id?: number] = [];
  for (;;) {
    const page = await manager.query<(ListedAuditEntry & { position: string })[]>(LIST, [
      since,
      after[0],
      after[1],
    ]);
    yield page.map(({ position: _, ...entry }) => entry);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = [last.position, last.id];
  }
}

/** Deletes audit log entries that are older than `age` seconds, or only counts them. The purge itself adds an entry. */
export function purgeAuditEntries(dataSource: DataSource, age: number, dryRun: boolean): Promise<number> {
  return asOperator(dataSource, async (manager) => {
    const [{ entries, before }] = await manager.query<[{ entries: number; before: string }]>(
      `with moment as (select now() - make_interval(secs => $1) as before),
            purged as (delete from audit_log using moment where not $2 and happened_at < before returning 1)
       select case when $2 then (select count(*) from audit_log, moment where happened_at < before)
                   else (select count(*) from purged) end::float8 as entries,
              ${isoTimestampSql('before')} as before from moment`,
      [age, dryRun],
    );
    if (entries > 0 && !dryRun)
      await insertAuditEntry(manager, {
        action: 'audit.purged',
        subject: 'audit:*',
        detail: { entries, before },
      });
    return entries;
  });
}
