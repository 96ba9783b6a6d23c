/** Milliseconds after its login. */
export const SESSION_LIFETIME = 12 * 60 * 60 * 1000;

interface Kept<S> {
  readonly session: S;
  readonly endsAt: number;
}

/**
 * Sessions of people who have logged in, in memory. The store of @fastify/session keeps those of everybody, and for ever:
 * each request moves the end of its cookie, by which the plugin judges whether a session has ended.
 */
export class Sessions<S extends object> {
  private readonly kept = new Map<string, Kept<S>>();

  get size(): number {
    return this.kept.size;
  }

  set(id: string, session: S, done: (error?: Error) => void): void {
    if ('adminUser' in session) {
      const endsAt = this.kept.get(id)?.endsAt ?? Date.now() + SESSION_LIFETIME;
      this.kept.set(id, { session, endsAt });
    }
    this.deleteEnded();
    done();
  }

  get(id: string, done: (error: Error | null, session?: S | null) => void): void {
    this.deleteEnded();
    done(null, this.kept.get(id)?.session ?? null);
  }

  destroy(id: string, done: (error?: Error) => void): void {
    this.kept.delete(id);
    done();
  }

  /** Few, because only a login makes one. */
  private deleteEnded(): void {
    for (const [id, { endsAt }] of this.kept) if (endsAt <= Date.now()) this.kept.delete(id);
  }
}
