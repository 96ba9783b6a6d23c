import { statement, text } from '../../database/statement.js';

/**
 * Executes a statement on the tables of one shard, on the worker that has the shard, in the transaction of the coordinator. The worker
 * prepares the statement, so that neither Citus nor the worker plans it again. It may use all features of PostgreSQL.
 */
export const ON_SHARD = statement('on_shard', 'select formtrail_on_shard($1, $2, $3, $4)', { row: text });

/** The coordinator assigns the ids of records, because the tables of shards have no sequence. */
export const NEXT_RECORD_ID = statement('records.next_id', 'select formtrail_next_record_id()', { id: text });

/** SQL that creates or replaces the functions that execute statements on shards. */
export const ON_SHARD_FUNCTIONS = [
  // `security definer`, because on one server an insert needs no right on the sequence either.
  `create or replace function formtrail_next_record_id() returns bigint language sql security definer
     set search_path from current as $$ select nextval(pg_get_serial_sequence('entity_records', 'id')) $$`,
  // `security definer`, because only the owner of a table may lock its shards. 5 is ShareLock.
  `create or replace function formtrail_hold_shard(shard bigint) returns void language sql security definer as $$
     select pg_catalog.lock_shard_metadata(5, array[shard]) $$`,
  `create or replace function formtrail_on_shard(submission uuid, shard bigint, statement text, parameters text[])
   returns setof text language plpgsql as $$
     declare
       prepared text := hashtextextended(statement, 0);
       its record;
     begin
       -- Until the transaction ends, the shard is neither moved nor split, so that nothing is written to a former shard.
       perform formtrail_hold_shard(shard);
       if not exists (select from pg_dist_placement join pg_dist_local_group using (groupid) where shardid = shard) then
         raise 'the shard is not on this worker' using errcode = '40001';
       end if;
       if not exists (select from pg_prepared_statements where name = prepared) then
         execute format('prepare %I as %s', prepared, statement);
       end if;
       for its in execute format('execute %I (%L' || repeat(',%L', cardinality(parameters) - 1) || ')',
           variadic array[prepared] || parameters)
       loop
         return next its::text;
       end loop;
     end $$`,
  // Without `force_delegation`, the coordinator would execute the function itself if it is in a transaction.
  `select create_distributed_function('formtrail_on_shard(uuid,bigint,text,text[])', 'submission',
     colocate_with => 'submissions', force_delegation => true)`,
];

/**
 * Parses PostgreSQL's text of a row, such as `(1,"a, b",)` (see "Composite Type Input and Output Syntax" in
 * PostgreSQL's documentation).
 */
export function valuesOfRow(row: string): (string | null)[] {
  const values: (string | null)[] = [];
  for (const [, quoted, plain] of `,${row.slice(1, -1)}`.matchAll(/,(?:"((?:[^"\\]|""|\\.)*)"|([^,]*))/gs)) {
    if (quoted !== undefined) values.push(quoted.replace(/""|\\\\/g, (pair) => pair.charAt(0)));
    else values.push(plain === '' ? null : (plain as string));
  }
  return values;
}
