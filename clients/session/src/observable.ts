import { share } from './share.js';

/** A value that is followed: what React, Vue and Svelte ask of a store. */
export abstract class Observable<Snapshot> {
  private readonly listeners = new Set<() => void>();

  protected constructor(private snapshot: Snapshot) {}

  /** The same object until something changes; then those parts are new objects that have changed, and no others. */
  readonly getSnapshot = (): Snapshot => this.snapshot;

  /** Tells of every change until the function that it returns is called. */
  readonly subscribe = (listener: () => void): (() => void) => {
    const own = () => listener();
    this.listeners.add(own);
    if (this.listeners.size === 1) this.wake();
    return () => {
      if (this.listeners.delete(own) && this.listeners.size === 0) this.rest();
    };
  };

  protected get isFollowed(): boolean {
    return this.listeners.size > 0;
  }

  /** When the first listener comes, and when the last one goes. */
  protected abstract wake(): void;
  protected abstract rest(): void;

  protected show(next: Snapshot): void {
    const shared = share(this.snapshot, next);
    if (shared === this.snapshot) return;
    this.snapshot = shared;
    for (const listener of [...this.listeners]) listener();
  }
}
