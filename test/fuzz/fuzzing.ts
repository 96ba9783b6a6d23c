import fc from 'fast-check';

const { FUZZ_REQUESTS, FUZZ_SEED, FUZZ_PATH, npm_lifecycle_event } = process.env;
const isFuzzing = FUZZ_REQUESTS !== undefined || npm_lifecycle_event === 'test:fuzz';

/** The number of requests: FUZZ_REQUESTS, or else 2,000 for `npm run test:fuzz`, and a few for `npm test`. */
export const GOAL = Number(FUZZ_REQUESTS ?? (isFuzzing ? 2_000 : 100));
/** FUZZ_SEED, or else a random seed. `npm test` always sends the same requests. */
const SEED = Number(FUZZ_SEED ?? (isFuzzing ? Math.floor(Math.random() * 2 ** 31) : 1));

if (isFuzzing) process.stdout.write(`fuzz: ${GOAL} requests, FUZZ_SEED=${SEED}\n`);

/** Number of concurrent runs, so that some proceed while others wait for the database. */
const LANES = isFuzzing ? 8 : 1;

/**
 * Runs the property once per seed, from FUZZ_SEED on, until `isEnough` returns true. A failed run is repeated alone and
 * shrunk. With FUZZ_PATH, only the run at that path is repeated.
 */
export async function fuzz<T>(
  title: string,
  property: fc.IAsyncProperty<T>,
  isEnough: () => boolean,
): Promise<void> {
  const run = (parameters: fc.Parameters<T>) => fc.check(property, { numRuns: 1, ...parameters });
  if (FUZZ_PATH !== undefined) {
    const repeated = await run({ seed: SEED, path: FUZZ_PATH, endOnFailure: true });
    if (repeated.failed) throw new Error(report(title, repeated));
    return;
  }
  let next = SEED;
  let failed: fc.RunDetails<T> | undefined;
  const lane = async () => {
    while (failed === undefined && !isEnough()) {
      const details = await run({ seed: next++, endOnFailure: true });
      if (details.failed) failed ??= details;
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  if (failed === undefined) return;
  const shrunk = await run({ seed: failed.seed });
  throw new Error(report(title, shrunk.failed ? shrunk : failed));
}

function report<T>(title: string, { seed, counterexamplePath, numShrinks, errorInstance }: fc.RunDetails<T>) {
  return [
    `The shortest sequence that was found, in ${numShrinks} steps of shrinking:`,
    errorInstance instanceof Error ? errorInstance.message : String(errorInstance),
    'To repeat it:',
    `FUZZ_SEED=${seed} FUZZ_PATH=${counterexamplePath} npx jest test/fuzz -t '${title}$'`,
  ].join('\n');
}
