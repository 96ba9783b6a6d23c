import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The deliverer now adds the jobs of due deliveries, a few per endpoint at a time. Before, a trigger added a job for
 * each new row, so the queue had to scan all jobs of busy or failing endpoints to find the next job.
 */
export class WebhookQueue1795737600001 implements MigrationInterface {
  name = 'WebhookQueue1795737600001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop trigger webhook_deliveries_insert on webhook_deliveries;
      drop trigger webhook_deliveries_update on webhook_deliveries;
      drop function formtrail_webhooks_queue();
      create index webhook_deliveries_endpoint_id_next_attempt_at_idx on webhook_deliveries (endpoint_id, next_attempt_at)
        where next_attempt_at is not null`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop index webhook_deliveries_endpoint_id_next_attempt_at_idx;
      create function formtrail_webhooks_queue() returns trigger
      language plpgsql security definer set search_path from current
      set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
      begin
        if to_regnamespace('formtrail_queue') is not null and exists (select from changed where next_attempt_at is not null) then
          perform formtrail_queue.add_jobs(array(
            select row('deliver', json_build_object('id', changed.id), null, next_attempt_at, 32767, changed.id::text,
                (failing_since is not null)::integer, array['endpoint:' || endpoint_id])::formtrail_queue.job_spec
              from changed left join webhook_endpoints endpoints on endpoints.id = endpoint_id
             where next_attempt_at is not null));
        end if;
        return null;
      end $$;
      create trigger webhook_deliveries_insert after insert on webhook_deliveries referencing new table as changed
        for each statement execute function formtrail_webhooks_queue();
      create trigger webhook_deliveries_update after update on webhook_deliveries referencing new table as changed
        for each statement execute function formtrail_webhooks_queue()`);
  }
}
