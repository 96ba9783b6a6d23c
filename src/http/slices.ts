/** Milliseconds of long work that one turn of the event loop has room for. */
const SLICE = 8;

/** Milliseconds of long work in this turn, of all requests together. */
let spent = 0;
let isResetScheduled = false;
const waiting: (() => void)[] = [];

/**
 * Long work in slices, so that no request stops the event loop for others. `Slices` are made where the work begins, and asked
 * after each part of it. Parts take a few milliseconds at most.
 *
 * All requests share one turn's slice: several that work for long take turns, and do not add up.
 */
export class Slices {
  private since = performance.now();

  /** Undefined while the slice lasts; otherwise a promise of the next one. */
  next(): Promise<void> | undefined {
    const now = performance.now();
    spent += now - this.since;
    this.since = now;
    scheduleReset();
    return spent < SLICE ? undefined : this.wait();
  }

  private async wait(): Promise<void> {
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
    });
    this.since = performance.now();
  }
}

/** Does work that pauses after each of its parts. */
export async function inSlices<Result>(work: Generator<unknown, Result>): Promise<Result> {
  const slices = new Slices();
  for (;;) {
    const part = work.next();
    if (part.done === true) return part.value;
    const pause = slices.next();
    if (pause !== undefined) await pause;
  }
}

/** Once in each turn, after the requests and responses that came meanwhile. */
function scheduleReset(): void {
  if (isResetScheduled) return;
  isResetScheduled = true;
  setImmediate(() => {
    isResetScheduled = false;
    spent = 0;
    waiting.shift()?.();
    if (waiting.length > 0) scheduleReset();
  });
}
