import { reuseEqualParts } from './reuse-equal-parts.js';

/** A store with a snapshot and listeners, as React, Vue and Svelte expect it. */
export abstract class Observable<Snapshot> {
  private readonly listeners = new Set<() => void>();

  protected constructor(private snapshot: Snapshot) {}

  /** Returns the current snapshot: the same object until something changes. Unchanged parts remain the same objects. */
  readonly getSnapshot = (): Snapshot => this.snapshot;

  /** Calls `listener` after each change. Returns a function that removes the listener. */
  readonly subscribe = (listener: () => void): (() => void) => {
    const own = () => listener();
    this.listeners.add(own);
    if (this.listeners.size === 1) this.wake();
    return () => {
      if (this.listeners.delete(own) && this.listeners.size === 0) this.rest();
    };
  };

  protected get hasListeners(): boolean {
    return this.listeners.size > 0;
  }

  /** Called when the first listener is added. */
  protected abstract wake(): void;
  /** Called when the last listener is removed. */
  protected abstract rest(): void;

  protected show(next: Snapshot): void {
    const snapshot = reuseEqualParts(this.snapshot, next);
    if (snapshot === this.snapshot) return;
    this.snapshot = snapshot;
    for (const listener of [...this.listeners]) listener();
  }
}
