import { createHook } from 'node:async_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Bytes of V8's heap that objects begin in; a scavenge of so little takes a millisecond. */
const YOUNG_GENERATION = 16 * 1024 * 1024;
/** The same until all is loaded: that can double it three times before anybody looks, and all of it stays. */
const YOUNG_GENERATION_WHILE_LOADING = 4 * 1024 * 1024;
/** Milliseconds, within which it grows to twice its size at most. */
const LOOK_EVERY = 100;
/** Percent by which the old generation grows between full collections: what little gets there would go unnoticed for long. */
const OLD_GENERATION_GROWTH = 50;

/**
 * Fits V8's garbage collection to a server of short requests, in this process and for good. To be called before much
 * is loaded; what it returns is to be called when all is.
 */
export function fitGarbageCollection(): () => void {
  keepTicks();
  // What V8 would place among old objects from the start keeps all it refers to, its whole request, until a full
  // collection.
  setFlagsFromString('--no-allocation-site-pretenuring');
  setFlagsFromString(`--heap-growing-percent=${OLD_GENERATION_GROWTH}`);
  // Threads that help each have pages of their own, 20 MB in all, and so little survives that it is moved as soon without.
  setFlagsFromString('--no-parallel-scavenge');
  // The size itself is fixed before a process runs. Looked at for ever, because an idle process gives
  // back most of it; by the clock, because to hear of each collection costs a fifth of it again.
  let size = YOUNG_GENERATION_WHILE_LOADING;
  setFlagsFromString('--semi-space-growth-factor=1');
  setInterval(() => {
    setFlagsFromString(`--semi-space-growth-factor=${youngGeneration() < size ? 2 : 1}`);
  }, LOOK_EVERY).unref();
  return () => {
    size = YOUNG_GENERATION;
  };
}

const ticks: object[] = [];

/**
 * Keeps one of the objects that `process.nextTick` makes. When a full collection finds none of them alive, V8 forgets
 * their hidden class, and from then on each of them takes a microsecond longer, for as long as the process runs.
 */
function keepTicks(): void {
  const hook = createHook({
    init: (_id, type, _trigger, resource) => {
      if (type === 'TickObject') ticks.push(resource);
    },
  }).enable();
  process.nextTick(() => undefined);
  hook.disable();
}

function youngGeneration(): number {
  return (
    getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? Infinity
  );
}
