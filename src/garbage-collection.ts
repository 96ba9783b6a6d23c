import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Bytes of V8's heap that objects begin in; a scavenge of so little takes a millisecond. */
const YOUNG_GENERATION = 16 * 1024 * 1024;
/** Milliseconds, within which it grows to twice its size at most. */
const LOOK_EVERY = 100;
/** Percent by which the old generation grows between full collections: what little gets there would go unnoticed for long. */
const OLD_GENERATION_GROWTH = 50;

/**
 * Fits V8's garbage collection to a server of short requests, in this process and for good. To be called before much
 * is loaded, which the young generation would grow with.
 */
export function fitGarbageCollection(): void {
  // What V8 would place among old objects from the start keeps all it refers to, its whole request, until a full
  // collection.
  setFlagsFromString('--no-allocation-site-pretenuring');
  setFlagsFromString(`--heap-growing-percent=${OLD_GENERATION_GROWTH}`);
  // Threads that help each have pages of their own, 20 MB in all, and so little survives that it is moved as soon without.
  setFlagsFromString('--no-parallel-scavenge');
  // The size itself is fixed before a process runs. Looked at for ever, because an idle process gives
  // back most of it; by the clock, because to hear of each collection costs a fifth of it again.
  setFlagsFromString('--semi-space-growth-factor=1');
  setInterval(() => {
    setFlagsFromString(`--semi-space-growth-factor=${youngGeneration() < YOUNG_GENERATION ? 2 : 1}`);
  }, LOOK_EVERY).unref();
}

function youngGeneration(): number {
  return (
    getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? Infinity
  );
}
