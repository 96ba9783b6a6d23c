import type { EntityManager } from 'typeorm';

/** The key of the advisory lock that one program holds while it deletes what is due. */
const LOCK = 1_798_000_038;

/** Waits until no other program is deleting. */
export async function waitForTurn(manager: EntityManager): Promise<true> {
  await manager.query('select pg_advisory_xact_lock($1)', [LOCK]);
  return true;
}

/** Returns false if another program is deleting. */
export async function tryTurn(manager: EntityManager): Promise<boolean> {
  const [{ isOurs }] = await manager.query<[{ isOurs: boolean }]>(
    'select pg_try_advisory_xact_lock($1) as "isOurs"',
    [LOCK],
  );
  return isOurs;
}
