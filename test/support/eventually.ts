import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_EVERY = 10;

/**
 * Waits until `look` returns something other than undefined, null or false. Throws after `within` milliseconds, far longer than
 * anything takes on an idle machine.
 */
export async function eventually<T>(
  what: string,
  look: () => T | Promise<T>,
  within = 20_000,
): Promise<NonNullable<Exclude<T, false>>> {
  const giveUpAt = performance.now() + within;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== null && found !== false) {
      return found as NonNullable<Exclude<T, false>>;
    }
    if (performance.now() > giveUpAt) throw new Error(`Waited ${within} ms in vain: ${what}`);
    await sleep(LOOK_EVERY);
  }
}
