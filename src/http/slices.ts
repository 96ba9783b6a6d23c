/** Maximum duration of long work in one turn of the event loop, in milliseconds. */
const SLICE = 8;

/** Duration of long work in the current turn so far, for all requests together. */
let spent = 0;
let isResetScheduled = false;
const waiting: (() => void)[] = [];

/**
 * Divides long work into slices, so that no request blocks the event loop. Create `Slices` when the work begins, and call
 * `next()` after each part of the work. A part may take a few milliseconds at most.
 *
 * All requests share the slice of a turn, so several long requests together block a turn no longer than one request does.
 */
export class Slices {
  private since = performance.now();

  /** Returns undefined while the slice lasts, then a promise that resolves when the next slice begins. */
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

/** Runs a generator that yields after each part of its work. */
export async function inSlices<Result>(work: Generator<unknown, Result>): Promise<Result> {
  const slices = new Slices();
  for (;;) {
    const part = work.next();
    if (part.done === true) return part.value;
    const pause = slices.next();
    if (pause !== undefined) await pause;
  }
}

/** Schedules one reset per turn, after pending I/O. The reset clears the time spent, and resumes one waiting task. */
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
