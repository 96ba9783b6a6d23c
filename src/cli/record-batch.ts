import type { EntityManager } from 'typeorm';
import { recordAct } from '../server/load-hooks.js';
import { nameOperator } from './as-operator.js';

/** Records a batch of a command on one form, or on all forms, in the transaction of the batch. */
export async function recordBatch(
  manager: EntityManager,
  action: string,
  slug: string | undefined,
  detail: Readonly<Record<string, unknown>>,
): Promise<void> {
  await nameOperator(manager);
  await recordAct(manager, { action, subject: `form:${slug ?? '*'}`, detail });
}
