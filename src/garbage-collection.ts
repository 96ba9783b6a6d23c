import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Bytes of V8's heap that objects begin in; a scavenge of so little takes a millisecond. */
const YOUNG_GENERATION = 16 * 1024 * 1024;

/**
 * Fits V8's garbage collection to a server of short requests, in this process and for good. To be called before much
 * is loaded, which the young generation would grow with.
 */
export function fitGarbageCollection(): void {
  // What V8 would place among old objects from the start keeps all it refers to, its whole request, until a full
  // collection.
  setFlagsFromString('--no-allocation-site-pretenuring');
  // The size itself is fixed before a process runs. Looked at after each collection, because an idle process gives
  // back most of it.
  setFlagsFromString('--semi-space-growth-factor=1');
  new PerformanceObserver(() => {
    setFlagsFromString(`--semi-space-growth-factor=${youngGeneration() < YOUNG_GENERATION ? 2 : 1}`);
  }).observe({ entryTypes: ['gc'] });
}

function youngGeneration(): number {
  return (
    getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? Infinity
  );
}
