declare module 'fastify' {
  interface FastifyRequest {
    /** Whose valid bearer token the request carries. */
    user: AuthenticatedUser | undefined;
    /** What the look-up of its token gives, once it is under way. */
    authentication: Promise<AuthenticatedUser | undefined> | undefined;
  }
}

export interface AuthenticatedUser {
  readonly id: number;
}
