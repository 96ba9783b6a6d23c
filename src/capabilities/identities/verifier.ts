import { errors, type JWTPayload, jwtVerify } from 'jose';
import type { JwtIssuer } from './jwt-issuers.js';
import { unstorableReason } from '../../http/bodies/storable-text.js';
import { isEmailAddress } from '../../auth/email-address.js';
import type { KeySet } from './key-set.js';

/** Seconds by which the clocks of issuer and service may differ. */
const LEEWAY = 60;
/** Longest time in seconds between `iat` and `exp`. */
const MAX_LIFETIME = 86_400;
const MAX_SUBJECT = 255;

/** A token with a valid signature and valid claims (A7). */
export interface VerifiedToken {
  readonly issuer: string;
  readonly subject: string;
  /** The email address that the issuer has verified, if it can be the address of a user. */
  readonly email: string | null;
  /** Seconds since 1970. -Infinity: the token does not say when it was issued. */
  readonly issuedAt: number;
  /** The end of the leeway after `exp`, in milliseconds since 1970. */
  readonly expiresAt: number;
}

/**
 * Verifies a token with the keys and the settings of its issuer. Never fetches anything that the token names.
 *
 * @throws Problem if there are no keys; any other error means that the token is invalid. Not only a JOSEError: a key that the
 * runtime rejects causes a TypeError or a DOMException.
 */
export async function verifyJwt(
  jwt: string,
  { issuer, audience, algorithms }: JwtIssuer,
  keys: KeySet,
): Promise<VerifiedToken> {
  const { payload } = await jwtVerify(jwt, keys.find, {
    algorithms: [...algorithms],
    issuer,
    audience,
    clockTolerance: LEEWAY,
    requiredClaims: ['exp', 'sub'],
  });
  const now = Date.now() / 1000;
  const { exp = 0, iat, sub } = payload;
  if (!isSubject(sub)) throw rejected('"sub" claim must be a text of 1 to 255 characters', payload, 'sub');
  if (iat !== undefined && !(iat <= now + LEEWAY))
    throw rejected('"iat" claim is in the future', payload, 'iat');
  const lifetime = exp - (iat ?? now + LEEWAY);
  if (!(lifetime <= MAX_LIFETIME)) throw rejected('the lifetime is longer than 24 hours', payload, 'exp');
  return {
    issuer,
    subject: sub,
    email: emailOf(payload),
    issuedAt: iat ?? -Infinity,
    expiresAt: (exp + LEEWAY) * 1000,
  };
}

function isSubject(sub: unknown): sub is string {
  return (
    typeof sub === 'string' &&
    sub !== '' &&
    Array.from(sub).length <= MAX_SUBJECT &&
    unstorableReason(sub) === undefined
  );
}

function emailOf({ email, email_verified: isVerified }: JWTPayload): string | null {
  return isVerified === true && typeof email === 'string' && isEmailAddress(email) ? email : null;
}

const rejected = (message: string, payload: JWTPayload, claim: string) =>
  new errors.JWTClaimValidationFailed(message, payload, claim, 'check_failed');
