import type { DataSource, EntityManager } from 'typeorm';
import { WebhookDelivery } from '../entities/webhook-delivery.js';
import { WebhookEndpoint } from '../entities/webhook-endpoint.js';
import type { WebhookSettings } from '../settings.js';
import { readEnvironment } from '../../../server/read-environment.js';
import { isoToTheSecondSql } from '../../../database/iso-timestamp.js';
import { asOperator } from '../../../cli/as-operator.js';
import { decryptSecret, encryptSecret, newSecret, parseWebhookKey, presentSecret } from '../secret.js';
import { webhookKeyOf } from '../webhook-key.js';
import { CommandError } from '../../../cli/command-error.js';

export interface ListedEndpoint {
  readonly id: number;
  /** A slug, or null for all forms. */
  readonly form: string | null;
  readonly url: string;
  readonly events: readonly string[];
  readonly body: string;
  /** Whether full bodies have personal data. */
  readonly personal: boolean;
  readonly status: 'active' | 'failing' | 'disabled';
  readonly disabled_reason: string | null;
  readonly pending: number;
  readonly failed: number;
}

export interface ListedFailure {
  readonly id: string;
  readonly endpoint_id: number;
  readonly event: string;
  readonly submission_uuid: string;
  readonly attempts: number;
  readonly created_at: string;
  readonly last_error: string;
}

/** Returns the WEBHOOK_KEY in the environment, or else the key in the data directory. */
export const webhookKey = async (): Promise<string> =>
  webhookKeyOf((await readEnvironment(process.env)).of<WebhookSettings>());

export function listEndpoints({ manager }: DataSource): Promise<ListedEndpoint[]> {
  return manager.query<ListedEndpoint[]>(`
    select endpoints.id, slug as form, url, events, endpoints.body, personal, disabled_reason,
           case when disabled_reason is not null then 'disabled' when failing_since is not null then 'failing' else 'active' end
             as status,
           (count(next_attempt_at) + (select count(*) from webhook_outbox where endpoints.id = any (endpoint_ids)))::integer
             as pending,
           (count(deliveries.id) - count(next_attempt_at))::integer as failed
      from webhook_endpoints endpoints left join forms on forms.id = form_id
           left join webhook_deliveries deliveries on endpoint_id = endpoints.id
     group by endpoints.id, slug order by endpoints.id`);
}

export const findEndpoint = ({ manager }: DataSource, id: number): Promise<WebhookEndpoint | null> =>
  manager.findOneBy(WebhookEndpoint, { id });

/** Returns the id of a webhook's endpoint, even if the endpoint was removed. Returns undefined if there is no such webhook. */
export async function findEndpointIdOf({ manager }: DataSource, webhook: string) {
  return (await manager.findOneBy(WebhookDelivery, { id: webhook }))?.endpointId;
}

/** Returns false if there is no such endpoint. */
export const removeEndpoint = (dataSource: DataSource, id: number): Promise<boolean> =>
  asOperator(dataSource, async (manager) => {
    const { affected } = await manager.delete(WebhookEndpoint, { id });
    return affected === 1;
  });

/** Returns false if there is no such endpoint. */
export const enableEndpoint = (dataSource: DataSource, id: number): Promise<boolean> =>
  asOperator(dataSource, async (manager) => {
    const enabled = { disabledReason: null, failingSince: null };
    const { affected } = await manager.update(WebhookEndpoint, { id }, enabled);
    return affected === 1;
  });

/**
 * Gives the endpoint a new secret. For `overlap` seconds, the old secret signs webhooks too. Returns undefined if there is no
 * such endpoint.
 *
 * @throws CommandError if `overlap` is not 0, but WEBHOOK_KEY does not decrypt the old secret
 */
export async function rotateSecret(manager: EntityManager, id: number, overlap: number) {
  const secret = newSecret();
  const key = parseWebhookKey(await webhookKey());
  const stored = encryptSecret(secret, key);
  if (overlap > 0) await ensureDecryptable(manager, id, key);
  const [, changed] = await manager.query<[unknown, number]>(
    `update webhook_endpoints set secret = $2, previous_secret = case when $3 > 0 then secret end,
       previous_secret_expires_at = case when $3 > 0 then now() + make_interval(secs => $3) end where id = $1`,
    [id, stored, overlap],
  );
  return changed === 1 ? presentSecret(secret) : undefined;
}

async function ensureDecryptable(manager: EntityManager, id: number, key: Buffer): Promise<void> {
  const lock = { mode: 'pessimistic_write' } as const;
  const endpoint = await manager.findOne(WebhookEndpoint, { where: { id }, lock });
  if (endpoint === null) return;
  try {
    decryptSecret(endpoint.secret, key);
  } catch {
    throw new CommandError(
      `The old secret of endpoint ${id} cannot be read, because it was encrypted with another WEBHOOK_KEY. Set that key and ` +
        'run the command again. If the key is lost, add --now: the old secret then stops signing at once.',
    );
  }
}

export function listFailures({ manager }: DataSource, endpointId: number | undefined) {
  return manager.query<ListedFailure[]>(
    `select id, endpoint_id, event, submission_uuid, attempts, ${isoToTheSecondSql('created_at')} as created_at, last_error
       from webhook_deliveries
      where next_attempt_at is null and ($1::integer is null or endpoint_id = $1) order by created_at, id`,
    [endpointId],
  );
}

/**
 * Makes one webhook, or all failed webhooks of an endpoint, due now, and resets the number of attempts to zero.
 * Returns the number of webhooks.
 */
export async function redeliver(
  { manager }: DataSource,
  { id, endpointId }: { readonly id: string | undefined; readonly endpointId: number | undefined },
): Promise<number> {
  const [{ count }] = await manager.query<[{ count: number }]>(
    `with due as (
       update webhook_deliveries set attempts = 0, last_error = null, next_attempt_at = now()
        where id = $1 or endpoint_id = $2 and next_attempt_at is null
       returning id
     ) select count(*)::integer as count from due`,
    [id, endpointId],
  );
  return count;
}

/** Deletes failed webhooks that are older than `age` seconds, or only counts them. */
export async function purgeFailures({ manager }: DataSource, age: number, dryRun: boolean): Promise<number> {
  const [{ count }] = await manager.query<[{ count: number }]>(
    `with old as (
       select id from webhook_deliveries
        where next_attempt_at is null and created_at < now() - make_interval(secs => $1)
     ), purged as (delete from webhook_deliveries where not $2 and id in (select id from old))
     select count(*)::integer as count from old`,
    [age, dryRun],
  );
  return count;
}
