import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Pauses and runs `work`, again and again until `signal` aborts. `pause` is in milliseconds. If `work` or `onError` returns a
 * number, the next pause has that length.
 */
export async function repeat(
  pause: number,
  work: () => Promise<unknown>,
  signal: AbortSignal,
  onError: (error: Error) => unknown = () => undefined,
): Promise<void> {
  let next = pause;
  for (;;) {
    await sleep(next, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    const result = await work().catch((error: unknown) => signal.aborted || onError(error as Error));
    next = typeof result === 'number' ? result : pause;
  }
}
