import { hash, randomBytes } from 'node:crypto';

const BUCKETS = 2 ** 14;
const SLOTS = 16;
/** Maximum number of cached hashes of frequent keys. */
const CACHED_PLACES = 1_024;

interface Place {
  readonly hashed: number;
  /** The first slot of the key's bucket. */
  readonly first: number;
}

/**
 * Counts hits in windows of a fixed length. Each key has one window, which begins with its first hit. The hash of the key
 * selects a bucket of slots. A full bucket evicts its oldest window. Memory (5 MB for 262,144 windows) and the time of a
 * hit are constant, however many keys there are.
 */
export class WindowTable {
  // Clients choose their keys. The secret prevents clients from filling one bucket on purpose.
  private readonly secret = randomBytes(16).toString('hex');
  private readonly keys = new Float64Array(BUCKETS * SLOTS);
  private readonly ends = new Float64Array(BUCKETS * SLOTS);
  private readonly hits = new Uint32Array(BUCKETS * SLOTS);
  private places = new Map<string, Place>();

  /** Counts a hit at `now`; all times are milliseconds. */
  hit(key: string, ttl: number, now: number): { hits: number; timeLeft: number } {
    const { hashed, first } = this.placeOf(key);
    const slot = this.slotOf(hashed, first);
    if (this.keys[slot] !== hashed || this.endOf(slot) <= now) {
      this.keys[slot] = hashed;
      this.ends[slot] = now + ttl;
      this.hits[slot] = 0;
    }
    const hits = (this.hits[slot] ?? 0) + 1;
    this.hits[slot] = hits;
    return { hits, timeLeft: this.endOf(slot) - now };
  }

  /** Returns the number of hits that this key has in its window at `now`. */
  hitsOf(key: string, now: number): number {
    const { hashed, first } = this.placeOf(key);
    const slot = this.slotOf(hashed, first);
    return this.keys[slot] === hashed && this.endOf(slot) > now ? (this.hits[slot] ?? 0) : 0;
  }

  private placeOf(key: string): Place {
    let place = this.places.get(key);
    if (place === undefined) {
      const digest = hash('sha256', this.secret + key, 'hex');
      const bucket = Number.parseInt(digest.slice(12, 16), 16) % BUCKETS;
      place = { hashed: Number.parseInt(digest.slice(0, 12), 16), first: bucket * SLOTS };
      // A new map, because V8 keeps the memory of a cleared map until the next full garbage collection.
      if (this.places.size === CACHED_PLACES) this.places = new Map();
      this.places.set(key, place);
    }
    return place;
  }

  /** Returns the slot of the key in the bucket that begins at `first`, or else the slot of the oldest window. */
  private slotOf(hashed: number, first: number): number {
    let oldest = first;
    for (let slot = first; slot < first + SLOTS; slot += 1) {
      if (this.keys[slot] === hashed) return slot;
      if (this.endOf(slot) < this.endOf(oldest)) oldest = slot;
    }
    return oldest;
  }

  private endOf(slot: number): number {
    return this.ends[slot] ?? 0;
  }
}
