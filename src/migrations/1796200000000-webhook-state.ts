import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readShards } from '../database/distribution/shards.js';

/**
 * Adds a function that returns the backlog of webhooks, for the metrics of every server. The role of the servers may
 * not read the tables of webhooks, so the function is `security definer` and returns only numbers.
 */
export class WebhookState1796200000000 implements MigrationInterface {
  name = 'WebhookState1796200000000';

  async up(runner: QueryRunner): Promise<void> {
    // Distributed submissions have no webhooks.
    if ((await readShards(runner.manager)) === undefined) await runner.query(STATE);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function if exists formtrail_webhooks_state()');
  }
}

/**
 * Returns no row if there is no endpoint. Counting stops at 10,000, so that the function never reads a backlog of
 * millions. The settings force index scans, even if the query was planned when the tables were small.
 *
 * `oldest_due_seconds` ignores endpoints that fail or are disabled, whose deliveries wait for the receiver. All other
 * deliveries wait for a deliverer.
 */
const STATE = `
  do $migration$ begin
    execute format($create$
      create function formtrail_webhooks_state(out events integer, out deliveries integer,
        out oldest_pending_seconds double precision, out oldest_due_seconds double precision,
        out disabled_endpoints integer)
      returns setof record language plpgsql stable security definer set search_path = pg_catalog, pg_temp
      set enable_seqscan = off set enable_sort = off set enable_bitmapscan = off set jit = off as
      $function$ begin
        if not exists (select from %1$I.webhook_endpoints) then
          return;
        end if;
        return query
          with oldest as (
            select (select created_at from %1$I.webhook_outbox order by id limit 1) as event,
                   (select min(created_at) from %1$I.webhook_deliveries where next_attempt_at is not null) as delivery,
                   (select min(first.next_attempt_at)
                      from %1$I.webhook_endpoints endpoints
                           cross join lateral (
                             select next_attempt_at from %1$I.webhook_deliveries
                              where endpoint_id = endpoints.id and next_attempt_at is not null
                              order by next_attempt_at limit 1) first
                     where endpoints.disabled_reason is null and endpoints.failing_since is null
                       and first.next_attempt_at <= now()) as due
          )
          select (select count(*)::integer from (select from %1$I.webhook_outbox order by id limit 10000) counted),
                 (select count(*)::integer from (
                    select from %1$I.webhook_deliveries where next_attempt_at is not null
                     order by created_at limit 10000) counted),
                 coalesce(date_part('epoch', now()) - date_part('epoch', least(event, delivery)), 0),
                 coalesce(date_part('epoch', now()) - date_part('epoch', least(event, due)), 0),
                 (select count(*)::integer from %1$I.webhook_endpoints where disabled_reason is not null)
            from oldest;
      end $function$
    $create$, current_schema());
  end $migration$;
  -- Where functions are not everybody's by default: the role that serves calls it.
  grant execute on function formtrail_webhooks_state() to public`;
