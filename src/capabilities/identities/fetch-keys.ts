import type { JSONWebKeySet } from 'jose';
import { isTrustedWebUrl, type JwtIssuer } from './jwt-issuers.js';
import { isError } from '../../process/is-error.js';

/** Milliseconds that a fetch of keys may take, including the discovery of their URL. */
const TIMEOUT = 5_000;
const MAX_BYTES = 2 ** 20;

/** Fetches the key set of one issuer (A9). Remembers the discovered URL until a fetch fails. */
export class KeyFetcher {
  private discovered: string | undefined;

  constructor(private readonly issuer: JwtIssuer) {}

  /** @throws Error with a reason for the log */
  async fetch(): Promise<JSONWebKeySet> {
    const signal = AbortSignal.timeout(TIMEOUT);
    try {
      const url = this.issuer.jwksUrl ?? (this.discovered ??= await this.discover(signal));
      const { keys } = (await fetchObject(url, signal)) as Partial<JSONWebKeySet>;
      // An empty set is treated as a failure of the provider, because it would reject every token.
      if (!Array.isArray(keys) || keys.length === 0) throw new Error(`${url} has no list of keys`);
      return { keys };
    } catch (error) {
      this.discovered = undefined;
      throw signal.aborted
        ? new Error(`the provider did not respond within ${TIMEOUT / 1000} seconds`)
        : error;
    }
  }

  /** Returns the URL of the keys, as OpenID Connect Discovery 1.0 (section 4) describes. */
  private async discover(signal: AbortSignal): Promise<string> {
    const { issuer } = this.issuer;
    const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const { issuer: named, jwks_uri: keys } = await fetchObject(url, signal);
    if (named !== issuer) throw new Error(`${url} names another issuer`);
    if (typeof keys !== 'string' || !isTrustedWebUrl(keys))
      throw new Error(`${url} names no jwks_uri with https`);
    return keys;
  }
}

async function fetchObject(url: string, signal: AbortSignal): Promise<Record<string, unknown>> {
  // A redirect could lead to a host that the operator has not named.
  const response = await fetch(url, {
    redirect: 'error',
    headers: { accept: 'application/json' },
    signal,
  }).catch((error: unknown) => {
    throw new Error(`${url} cannot be fetched: ${reasonOf(error)}`);
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`${url} responded with HTTP ${response.status}`);
  }
  let value: unknown;
  try {
    value = JSON.parse(await readText(response));
  } catch (error) {
    throw new Error(`${url} did not return JSON: ${(error as Error).message}`, { cause: error });
  }
  if (typeof value !== 'object' || value === null) throw new Error(`${url} did not return a JSON object`);
  return value as Record<string, unknown>;
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += (chunk as Uint8Array).length;
    if (bytes > MAX_BYTES) throw new Error('the response is larger than 1 MiB');
    chunks.push(chunk as Uint8Array);
  }
  return Buffer.concat(chunks).toString();
}

/** `fetch` hides the reason in the cause. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error;
  return isError(cause) ? cause.message || ((cause as NodeJS.ErrnoException).code ?? message) : message;
}
