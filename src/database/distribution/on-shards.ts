import { statement, text } from '../statement.js';

/**
 * Runs a statement that requests share at the worker that has their submissions, on the tables of the shards themselves, one
 * shard after the other in one transaction. Citus only finds the worker. By way of the coordinator it would plan the statement
 * anew each time, and have the worker do so once more; here it is prepared, as on one server, and may do all that
 * PostgreSQL can. Not within a transaction of the coordinator's, to which the worker's would not belong.
 */
export const ON_SHARDS = statement('on_shards', 'select formtrail_on_shards($1, $2, $3)', { row: text });

/** SQL that makes the functions, or makes them anew. */
export const ON_SHARDS_FUNCTIONS = [
  // Only the owner of a table may lock its shards. 5: share.
  `create or replace function formtrail_hold_shards(shards bigint[]) returns void language plpgsql security definer as $$
     begin
       perform pg_catalog.lock_shard_metadata(5, shards);
     end $$`,
  // The statement with the tables of a shard, which have their own numbers, in the place of all that are distributed, and the
  // shard's in that of SHARD.
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
  // The first of the parameters are UUIDs of submissions, of which the first is by itself too: it leads to the worker.
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

/** The values of a row, of which PostgreSQL's text is such as `(1,"a, b",)` (its documentation, "Composite Type Input and Output Syntax"). */
export function valuesOfRow(row: string): (string | null)[] {
  const values: (string | null)[] = [];
  for (const [, quoted, plain] of `,${row.slice(1, -1)}`.matchAll(/,(?:"((?:[^"\\]|""|\\.)*)"|([^,]*))/gs)) {
    if (quoted !== undefined) values.push(quoted.replace(/""|\\\\/g, (pair) => pair.charAt(0)));
    else values.push(plain === '' ? null : (plain as string));
  }
  return values;
}
