import { Form } from 'formtrail-entities';
import type { EntityManager } from 'typeorm';

/** Locks the form until the commit. Returns false if the form has changed since this version of it was read. */
export async function lockUnchanged(manager: EntityManager, id: number, version: number): Promise<boolean> {
  const form = await manager.findOneOrFail(Form, { where: { id }, lock: { mode: 'pessimistic_write' } });
  return form.version === version;
}
