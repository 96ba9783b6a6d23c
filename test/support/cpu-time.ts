/** CPU time in microseconds, so that other processes do not disturb the result. */
export function cpuOf(work: () => unknown): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return user + system;
}

/** Minimum microseconds of a measurement, so that the overhead around the work does not matter. */
const LONG_ENOUGH = 10_000;

/** The least CPU time of several runs: garbage collection and cache misses only ever add time. */
export function leastCpuOf(work: () => unknown): number {
  let least = Infinity;
  let times = 1;
  for (let round = 0; round < 5;) {
    const cpu = cpuOf(() => {
      for (let time = 0; time < times; time += 1) work();
    });
    // The runs that are too short also warm up the JIT compiler.
    if (cpu < LONG_ENOUGH) {
      times *= 2;
      continue;
    }
    least = Math.min(least, cpu / times);
    round += 1;
  }
  return least;
}
