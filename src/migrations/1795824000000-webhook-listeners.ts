import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readShards } from '../database/distribution/shards.js';

/** Adds a condition to the triggers of webhooks, so that they do not fire if there is no endpoint. */
export class WebhookListeners1795824000000 implements MigrationInterface {
  name = 'WebhookListeners1795824000000';

  async up(runner: QueryRunner): Promise<void> {
    // Distributed tables have no such triggers.
    if ((await readShards(runner.manager)) === undefined) await runner.query(IF_LISTENED);
  }

  async down(runner: QueryRunner): Promise<void> {
    if ((await readShards(runner.manager)) !== undefined) return;
    await runner.query(`${triggers('')}; drop function formtrail_webhooks_listened()`);
  }
}

const triggers = (condition: string) => `
  drop trigger webhooks_insert on submissions;
  drop trigger webhooks_complete on submissions;
  drop trigger webhooks_delete on submissions;
  create trigger webhooks_insert after insert on submissions
    for each row ${condition && `when (${condition})`} execute function formtrail_webhooks_submission();
  create trigger webhooks_complete after update of status on submissions
    for each row when (old.status <> 'completed' and new.status = 'completed' ${condition && `and ${condition}`})
    execute function formtrail_webhooks_submission();
  create trigger webhooks_delete before delete on submissions
    for each row ${condition && `when (${condition})`} execute function formtrail_webhooks_submission()`;

/**
 * The body of the function names the schema, because setting a `search_path` would double its time. The function is in
 * plpgsql, which caches the plan between calls. The function is `security definer` like the trigger functions.
 */
const IF_LISTENED = `
  do $migration$ begin
    execute format($create$
      create function formtrail_webhooks_listened() returns boolean language plpgsql stable security definer as
      $$ begin return exists (select from %I.webhook_endpoints); end $$
    $create$, current_schema());
  end $migration$;
  -- Where functions are not everybody's by default: whoever writes to submissions calls it.
  grant execute on function formtrail_webhooks_listened() to public;
  ${triggers('formtrail_webhooks_listened()')}`;
