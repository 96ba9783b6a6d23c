import { Semaphore, type Until } from './semaphore.js';

/** Below so many keys, those that nobody uses are not looked for. */
const FEW_KEYS = 64;

/** A semaphore for each key that is used, all of one size. */
export class Semaphores<Key> {
  private semaphores = new Map<Key, Semaphore>();
  private removeUnusedAt = FEW_KEYS;

  constructor(private readonly size: number) {}

  /** As `Semaphore.acquire`. */
  acquire(key: Key, until: Until): Promise<void> | undefined {
    let semaphore = this.semaphores.get(key);
    if (semaphore === undefined) {
      if (this.semaphores.size >= this.removeUnusedAt) this.removeUnused();
      this.semaphores.set(key, (semaphore = new Semaphore(this.size)));
    }
    return semaphore.acquire(until);
  }

  release(key: Key): void {
    this.semaphores.get(key)?.release();
  }

  /** Into a new map: of one that is deleted from and added to, V8 keeps what it held until its next full collection. */
  private removeUnused(): void {
    const used = [...this.semaphores].filter(([, semaphore]) => !semaphore.isUnused);
    this.semaphores = new Map(used);
    this.removeUnusedAt = Math.max(FEW_KEYS, 2 * used.length);
  }
}
