import type { AuthenticatedUser } from '../../auth/authenticated-user.js';

/** Calls `find` if the address of the request may look a token up, and counts the request if `find` returns undefined. */
export type LookUp = <Found>(find: () => Promise<Found | undefined>) => Promise<Found | undefined>;

/** Finds the users of JSON web tokens. Provided only if JWT_ISSUERS is set, because `jose` would waste memory. */
export interface JwtUsers {
  /**
   * Returns no promise if the token is cached, because a promise would take longer than the look-up. Accepts any text.
   *
   * @param hash the SHA-256 of the token
   * @throws Problem if the keys of the issuer are not available
   */
  userOf(
    jwt: string,
    hash: string,
    lookUp: LookUp,
  ): AuthenticatedUser | undefined | Promise<AuthenticatedUser | undefined>;
  keys(): readonly KeysOfIssuer[];
}

export interface KeysOfIssuer {
  readonly issuer: string;
  /** The number of keys that verify tokens. 0: tokens of the issuer get 503 or 401. */
  readonly count: number;
  /** Seconds since the last successful fetch. Before the first one: since the start of the process. */
  readonly age: number;
}

export const JWT_USERS = Symbol('JwtUsers');
