import { statement, text } from '../../database/statement.js';

/**
 * Executes a batch on the worker of its submissions, on the tables of the shards, one shard after the other in one
 * transaction. Citus only finds the worker. If the coordinator executed the batch, both Citus and the worker would
 * plan it each time. Here the worker prepares the batch, as with one server, and the batch may use all features of
 * PostgreSQL. Do not use this statement in a transaction of the coordinator, because the worker has a transaction of
 * its own.
 */
export const ON_SHARDS = statement('on_shards', 'select formtrail_on_shards($1, $2, $3)', { row: text });

/** SQL that creates or replaces the functions that execute batches on shards. */
export const ON_SHARDS_FUNCTIONS = [
  // `security definer`, because only the owner of a table may lock its shards. 5 is ShareLock.
  `create or replace function formtrail_hold_shards(shards bigint[]) returns void language plpgsql security definer as $$
     begin
       perform pg_catalog.lock_shard_metadata(5, shards);
     end $$`,
  // Replaces the names of distributed tables in the statement by the tables of the shard, and SHARD by the number of the shard.
  `create or replace function formtrail_of_shard(statement text, shard bigint) returns text language plpgsql as $$
     declare
       its record;
       word text := '\\m(from|join|update|into) ';
     begin
       for its in
         select logicalrelid::regclass::text as name, logicalrelid::regclass || '_' || shardid as own
           from pg_dist_shard where shardminvalue is null
             or shardminvalue = (select shardminvalue from pg_dist_shard where shardid = shard)
       loop
         statement := regexp_replace(statement, word || its.name || '\\M(?= as )', '\\1 ' || its.own, 'g');
         statement := regexp_replace(statement, word || its.name || '\\M', '\\1 ' || its.own || ' as ' || its.name, 'g');
       end loop;
       return replace(statement, 'SHARD', shard::text);
     end $$`,
  // The first parameter of the statement is the array of the UUIDs of submissions. Citus finds the worker by `submission`, the first
  // of these UUIDs.
  `create or replace function formtrail_on_shards(submission uuid, statement text, parameters text[])
   returns setof text language plpgsql as $$
     declare
       shards bigint[] := array(select distinct get_shard_id_for_distribution_column('submissions', one)
         from unnest(parameters[1]::uuid[]) one order by 1);
       shard bigint;
       prepared text;
       its record;
     begin
       -- Until the transaction ends, none is moved or split, so that nothing is written to what has been left.
       perform formtrail_hold_shards(shards);
       if cardinality(shards) <> (select count(*) from pg_dist_placement join pg_dist_local_group using (groupid)
           where shardid = any (shards)) then
         raise 'the submissions do not lie at one worker'
           using errcode = case cardinality(shards) when 1 then '40001' else '0A000' end;
       end if;
       foreach shard in array shards loop
         prepared := hashtextextended(statement, 0) || '@' || shard;
         if not exists (select from pg_prepared_statements where name = prepared) then
           execute format('prepare %I as %s', prepared, formtrail_of_shard(statement, shard));
         end if;
         for its in execute format('execute %I (%L' || repeat(',%L', cardinality(parameters) - 1) || ')',
             variadic array[prepared] || parameters)
         loop
           return next its::text;
         end loop;
       end loop;
     end $$`,
  `select create_distributed_function('formtrail_on_shards(uuid,text,text[])', 'submission', colocate_with => 'submissions')`,
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
