/** Milliseconds from the login to the end of the session. */
export const SESSION_LIFETIME = 12 * 60 * 60 * 1000;

interface StoredSession<S> {
  readonly session: S;
  readonly endsAt: number;
}

/**
 * Stores sessions of logged-in users in memory. The store of @fastify/session would also store sessions of all other visitors. It
 * would never end a session, because the plugin checks the expiry of the cookie, which each request extends.
 */
export class Sessions<S extends object> {
  private readonly sessions = new Map<string, StoredSession<S>>();

  get size(): number {
    return this.sessions.size;
  }

  set(id: string, session: S, done: (error?: Error) => void): void {
    if ('adminUser' in session) {
      const endsAt = this.sessions.get(id)?.endsAt ?? Date.now() + SESSION_LIFETIME;
      this.sessions.set(id, { session, endsAt });
    }
    this.deleteEnded();
    done();
  }

  get(id: string, done: (error: Error | null, session?: S | null) => void): void {
    this.deleteEnded();
    done(null, this.sessions.get(id)?.session ?? null);
  }

  destroy(id: string, done: (error?: Error) => void): void {
    this.sessions.delete(id);
    done();
  }

  /** Checks all sessions. They are few, because only a login creates one. */
  private deleteEnded(): void {
    for (const [id, { endsAt }] of this.sessions) if (endsAt <= Date.now()) this.sessions.delete(id);
  }
}
