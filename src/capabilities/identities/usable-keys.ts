import { compactVerify, createLocalJWKSet, errors, type JSONWebKeySet, type JWK } from 'jose';
import type { JwtAlgorithm } from './jwt-issuers.js';

/** Maximum characters of a key id in the log. */
const MAX_KID = 100;

/**
 * Separates the keys that cannot verify a token: RSA keys under 2,048 bits, private keys, and malformed keys. Each key verifies a
 * wrong signature, and every error except "wrong signature" makes it unusable. Keys for other algorithms and for encryption are
 * in neither list, because no accepted token can name them.
 */
export async function checkKeys({ keys }: JSONWebKeySet, algorithms: readonly JwtAlgorithm[]) {
  const usable: JWK[] = [];
  const unusable: { readonly kid: string; readonly reason: string }[] = [];
  for (const key of keys) {
    const results = new Set<string | undefined>();
    for (const algorithm of algorithms) results.add(await failureOf(key, algorithm));
    results.delete(OTHER_USE);
    const reason = [...results].find((result) => result !== undefined);
    if (reason !== undefined) unusable.push({ kid: kidOf(key), reason });
    else if (results.size > 0) usable.push(key);
  }
  return { usable: { keys: usable }, unusable };
}

const OTHER_USE = 'the key is for another algorithm or another use';

/** Returns why the key cannot verify a signature. Undefined: the key can. */
async function failureOf(key: JWK, algorithm: JwtAlgorithm): Promise<string | undefined> {
  const header = Buffer.from(JSON.stringify({ alg: algorithm })).toString('base64url');
  try {
    await compactVerify(`${header}.e30.AAAA`, createLocalJWKSet({ keys: [key] }));
  } catch (error) {
    if (error instanceof errors.JWSSignatureVerificationFailed) return undefined;
    if (error instanceof errors.JWKSNoMatchingKey) return OTHER_USE;
    return (error as Error).message || (error as Error).name;
  }
  return 'the key accepts a wrong signature';
}

function kidOf(key: JWK | null): string {
  const kid: unknown = key?.kid;
  return typeof kid === 'string' ? kid.slice(0, MAX_KID) : '(none)';
}
