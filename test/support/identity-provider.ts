import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';

export const AUDIENCE = 'formtrail';

interface Key {
  readonly kid: string;
  readonly algorithm: string;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
  readonly jwk: JWK;
}

/** An issuer of JSON web tokens on the loopback interface, which serves discovery and its keys. */
export interface IdentityProvider {
  readonly issuer: string;
  /** The number of requests for each path. */
  readonly requests: Record<string, number>;
  /** The paths of the keys, for a `jwks_url`. */
  readonly keysPath: string;
  /** Keys that are served beside the current one. */
  otherKeys: unknown[];
  /** Closes each connection without a response if true. */
  isAway: boolean;
  readonly key: Key;
  /** Replaces the keys that are served by a new one, which signs from now on. */
  rotate(algorithm?: string): Promise<Key>;
  /** Signs a token with the current key, valid for ten minutes. Claims and headers replace or add to the usual ones. */
  sign(claims?: JWTPayload, header?: Record<string, unknown>): Promise<string>;
  /** The setting JWT_ISSUERS for this issuer. */
  setting(more?: object): Record<string, unknown>;
  close(): Promise<void>;
}

let keys = 0;

export async function newKey(algorithm = 'RS256'): Promise<Key> {
  const pair = await generateKeyPair(algorithm, { extractable: true });
  keys += 1;
  const kid = `key-${keys}`;
  const jwk = { ...(await exportJWK(pair.publicKey)), kid, alg: algorithm, use: 'sig' };
  return { ...pair, kid, algorithm, jwk };
}

export const seconds = () => Math.floor(Date.now() / 1000);

export async function identityProvider(algorithm?: string): Promise<IdentityProvider> {
  let key = await newKey(algorithm);
  const requests: Record<string, number> = {};
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    requests[path] = (requests[path] ?? 0) + 1;
    if (provider.isAway) {
      request.socket.destroy();
      return;
    }
    const bodies: Record<string, unknown> = {
      '/.well-known/openid-configuration': { issuer: provider.issuer, jwks_uri: `${provider.issuer}/keys` },
      '/keys': { keys: [key.jwk, ...provider.otherKeys] },
    };
    response.statusCode = path in bodies ? 200 : 404;
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(bodies[path] ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const provider: IdentityProvider = {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    keysPath: '/keys',
    otherKeys: [],
    isAway: false,
    get key() {
      return key;
    },
    rotate: async (next = algorithm) => (key = await newKey(next)),
    sign: (claims = {}, header = {}) => {
      const usual = { iss: provider.issuer, aud: AUDIENCE, sub: 'ada', iat: seconds(), exp: seconds() + 600 };
      return new SignJWT({ ...usual, ...claims })
        .setProtectedHeader({ alg: key.algorithm, kid: key.kid, ...header })
        .sign(key.privateKey);
    },
    setting: (more = {}) => ({ issuer: provider.issuer, audience: AUDIENCE, ...more }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
  return provider;
}

/** The variables of a service that accepts tokens of these providers. */
export function acceptingTokensOf(...providers: readonly IdentityProvider[]): Record<string, string> {
  return { JWT_ISSUERS: JSON.stringify(providers.map((provider) => provider.setting())) };
}
