import { LRUCache } from 'lru-cache';
import type { ChangeListener } from './change-listener.js';

/**
 * Maximum age in milliseconds of a load that a caller joins. An older load would fail long before the deadline of the
 * caller.
 */
const JOIN_WITHIN = 100;

/**
 * The size by which a value counts. A value beyond the budget of a cache counts as a little more than half of it: the cache then keeps
 * the last such value beside small ones, and never two.
 */
export const countedSize = (size: number, budget: number): number =>
  size > budget ? Math.floor(budget / 2) + 1 : size;

interface Limits<V> {
  /** Maximum size of all values together, in the unit of `sizeOf`. The last value beyond it is kept too. */
  readonly maxSize: number;
  readonly sizeOf: (value: V) => number;
  /** The keys under which a value is cached. `forget` accepts only the first key. */
  readonly keysOf: (value: V) => readonly [string, ...string[]];
}

interface Load<V> {
  readonly since: number;
  readonly value: Promise<V | undefined>;
  /** Whether the value was read. The load then needs nothing but the processor, so every caller may join it. */
  readonly isRead: () => boolean;
}

/**
 * A bounded cache of values from the database. Its owner calls `forget` for values that the listener reports as changed. While the
 * listener is disconnected, the cache returns nothing (F9).
 */
export class CoherentCache<V extends object> {
  private readonly values: LRUCache<string, V>;
  private readonly aliases = new Map<string, string>();
  private readonly loading = new Map<string, Load<V>>();
  private hits = 0;
  private misses = 0;

  constructor(
    private readonly listener: Pick<ChangeListener, 'hearing'> & {
      on(event: 'lost', clear: () => void): unknown;
    },
    private readonly limits: Limits<V>,
  ) {
    this.values = new LRUCache<string, V>({
      maxSize: limits.maxSize,
      sizeCalculation: (value) => countedSize(limits.sizeOf(value), limits.maxSize),
      dispose: (value) => {
        for (const alias of limits.keysOf(value)) this.aliases.delete(alias);
      },
    });
    listener.on('lost', () => {
      this.loading.clear();
      this.values.clear();
    });
  }

  /** Hits and misses since the process started, and the current content. `size` is in the unit of `sizeOf`. */
  get usage() {
    return {
      hits: this.hits,
      misses: this.misses,
      entries: this.values.size,
      size: this.values.calculatedSize,
    };
  }

  /**
   * Returns the value of this key, from the cache if it cannot be stale, otherwise from `load`. Simultaneous requests
   * for one key share a load. `load` calls its parameter when it has read the value and only prepares it. Pass `join = false` if
   * the caller has a connection, because a joined load may wait for that connection.
   */
  get(
    key: string,
    load: (onRead: () => void) => Promise<V | undefined>,
    join = true,
  ): V | Promise<V | undefined> {
    const known = this.peek(key);
    if (known !== undefined) return known;
    this.misses += 1;
    if (!this.listener.hearing || !join) return load(() => undefined);
    const since = performance.now();
    const joined = this.loading.get(key);
    if (joined !== undefined && (joined.isRead() || since - joined.since < JOIN_WITHIN)) return joined.value;

    let isRead = false;
    const value = load(() => {
      isRead = true;
    });
    const loading: Load<V> = { since, value, isRead: () => isRead };
    this.loading.set(key, loading);
    loading.value.then(
      (value) => {
        // The key was invalidated or a later load began, so the value may be stale. Do not cache it.
        if (this.loading.get(key) !== loading) return;
        this.loading.delete(key);
        if (value !== undefined) this.keep(value);
      },
      () => {
        if (this.loading.get(key) === loading) this.loading.delete(key);
      },
    );
    return loading.value;
  }

  /** Returns the cached value of this key. Returns undefined if the value may be stale. */
  peek(key: string): V | undefined {
    const own = this.listener.hearing ? this.aliases.get(key) : undefined;
    const known = own === undefined ? undefined : this.values.get(own);
    if (known !== undefined) this.hits += 1;
    return known;
  }

  forget(own: string): void {
    // Any load in progress may have read the old value, so no result of these loads is cached.
    this.loading.clear();
    this.values.delete(own);
  }

  private keep(value: V): void {
    const keys = this.limits.keysOf(value);
    this.values.set(keys[0], value);
    if (this.values.has(keys[0])) for (const key of keys) this.aliases.set(key, keys[0]);
  }
}
