import { LRUCache } from 'lru-cache';
import type { ChangeListener } from './change-listener.js';

interface Limits<V> {
  /** In the unit of `sizeOf`. */
  readonly maxSize: number;
  readonly sizeOf: (value: V) => number;
  /** Under which keys a value is found; the first one is its own, by which it is forgotten. */
  readonly keysOf: (value: V) => readonly [string, ...string[]];
}

/** A bounded cache of what was read from the database, kept coherent with it by the listener; where that is deaf, nothing is served from it (F9). */
export class CoherentCache<V extends object> {
  private readonly values: LRUCache<string, V>;
  private readonly aliases = new Map<string, string>();
  private readonly loading = new Map<string, Promise<V | undefined>>();
  private hits = 0;
  private misses = 0;

  constructor(
    private readonly listener: ChangeListener,
    private readonly limits: Limits<V>,
  ) {
    this.values = new LRUCache<string, V>({
      maxSize: limits.maxSize,
      sizeCalculation: limits.sizeOf,
      dispose: (value) => {
        for (const alias of limits.keysOf(value)) this.aliases.delete(alias);
      },
    });
    listener.on('lost', () => {
      this.loading.clear();
      this.values.clear();
    });
  }

  /** How often it had the answer since the process started, and what it holds; `size` is in the unit of `sizeOf`. */
  get usage() {
    return {
      hits: this.hits,
      misses: this.misses,
      entries: this.values.size,
      size: this.values.calculatedSize,
    };
  }

  /**
   * The value under this key, from memory where that is safe, otherwise from `load`, which requests for the same key
   * share. Whoever holds a connection must not `join`: what it would wait for may be waiting for that connection.
   */
  get(key: string, load: () => Promise<V | undefined>, join = true): V | Promise<V | undefined> {
    const known = this.peek(key);
    if (known !== undefined) return known;
    this.misses += 1;
    if (!this.listener.hearing || !join) return load();
    const underWay = this.loading.get(key);
    if (underWay !== undefined) return underWay;

    const loaded = load();
    this.loading.set(key, loaded);
    loaded.then(
      (value) => {
        // What was forgotten while it was being read may be read from before the change: it is not kept.
        if (this.loading.get(key) !== loaded) return;
        this.loading.delete(key);
        if (value !== undefined) this.keep(value);
      },
      () => {
        if (this.loading.get(key) === loaded) this.loading.delete(key);
      },
    );
    return loaded;
  }

  /** The value under this key, if it is in memory and that is safe. */
  peek(key: string): V | undefined {
    const own = this.listener.hearing ? this.aliases.get(key) : undefined;
    const known = own === undefined ? undefined : this.values.get(own);
    if (known !== undefined) this.hits += 1;
    return known;
  }

  forget(own: string): void {
    // Which value a load under way will find is not known yet.
    this.loading.clear();
    this.values.delete(own);
  }

  private keep(value: V): void {
    const keys = this.limits.keysOf(value);
    this.values.set(keys[0], value);
    if (this.values.has(keys[0])) for (const key of keys) this.aliases.set(key, keys[0]);
  }
}
