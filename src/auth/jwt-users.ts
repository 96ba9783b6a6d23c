import type { AuthenticatedUser } from './authenticated-user.js';

/** Calls `find` if the address of the request may look a token up, and counts the request if `find` returns undefined. */
export type LookUp = <Found>(find: () => Promise<Found | undefined>) => Promise<Found | undefined>;

/** Finds the users of JSON web tokens. Provided only if JWT_ISSUERS is set, because `jose` would waste memory. */
export interface JwtUsers {
  /** @throws Problem if the keys of the issuer are not available */
  userOf(jwt: string, lookUp: LookUp): Promise<AuthenticatedUser | undefined>;
}

/** The injection token of {@link JwtUsers}. */
export const JWT_USERS = Symbol('JwtUsers');

/** Whether the text has the shape of a signed JSON web token: three parts in base64url. */
export function looksLikeJwt(text: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(text);
}
