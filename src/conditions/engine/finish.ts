/** Executes work that yields after each part, without a pause. */
export function runToCompletion<Result>(work: Generator<unknown, Result>): Result {
  for (;;) {
    const part = work.next();
    if (part.done === true) return part.value;
  }
}
