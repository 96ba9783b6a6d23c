import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector, request } from 'undici';
import { isAllowedAddress } from './allowed-address.js';
import { retryAfterOf } from './retry-schedule.js';

/** Milliseconds until the status of the response, connecting included (W4). */
const TIMEOUT = 15_000;
const CONNECT_TIMEOUT = 5_000;

/** Maximum bytes of the response headers, and of the body that is read so that the connection can be reused. */
const MAX_READ = 16_384;

/** Characters. Some errors contain all names of a receiver's certificate. */
const MAX_REASON = 200;

/** The outcome of an attempt. */
export type Outcome =
  | { readonly delivered: true; readonly status: number }
  | {
      readonly delivered: false;
      /** For people. Contains nothing of the response but its status. */
      readonly error: string;
      /** Undefined if there was no response. */
      readonly status?: number;
      /** Seconds. */
      readonly retryAfter?: number;
    };

class RejectedAddressError extends Error {
  constructor(address: string) {
    super(`${address} is not a public address; WEBHOOK_ALLOW can allow its network`);
  }
}

/**
 * Sends webhooks to allowed addresses only (W5). It resolves and checks names while it connects, so that it connects to the
 * address that it has checked. It does not follow redirects.
 */
export class Sender {
  private readonly agent: Agent;

  constructor(
    allowed: readonly string[],
    resolve: typeof lookup = lookup,
    private readonly timeout: number = TIMEOUT,
  ) {
    const connect = buildConnector({ timeout: CONNECT_TIMEOUT, lookup: checkedLookup(allowed, resolve) });
    this.agent = new Agent({
      connect: (options, callback) => {
        // Node.js does not look up an address, so `lookup` would not check it.
        const host = options.hostname.replace(/^\[|\]$/g, '');
        if (isIP(host) !== 0 && !isAllowedAddress(host, allowed))
          callback(new RejectedAddressError(host), null);
        else connect(options, callback);
      },
      maxHeaderSize: MAX_READ,
    });
  }

  /** @throws Error if `stop` aborts the request */
  async post(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    stop?: AbortSignal,
  ): Promise<Outcome> {
    const timeout = AbortSignal.timeout(this.timeout);
    const signal = stop === undefined ? timeout : AbortSignal.any([timeout, stop]);
    try {
      const response = await request(url, {
        dispatcher: this.agent,
        method: 'POST',
        headers: { 'content-type': 'application/json', 'user-agent': 'Formtrail', ...headers },
        body,
        signal,
      });
      const { statusCode: status } = response;
      // The status counts, even if the rest of the response fails.
      await response.body.dump({ limit: MAX_READ, signal }).catch(() => undefined);
      if (status >= 200 && status < 300) return { delivered: true, status };
      const retryAfter = retryAfterOf(response.headers['retry-after']);
      return {
        delivered: false,
        status,
        error: `HTTP ${status}`,
        ...(retryAfter !== undefined && { retryAfter }),
      };
    } catch (error) {
      stop?.throwIfAborted();
      return { delivered: false, error: timeout.aborted ? 'timed out' : reasonOf(error) };
    }
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }
}

function checkedLookup(allowed: readonly string[], resolve: typeof lookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) {
        callback(error, []);
        return;
      }
      const [first] = addresses;
      const checked = addresses.filter(({ address }) => isAllowedAddress(address, allowed));
      if (checked[0] === undefined) callback(new RejectedAddressError(first?.address ?? hostname), []);
      else if (options.all === true) callback(null, checked);
      else callback(null, checked[0].address, checked[0].family);
    });
  };
}

/** The code of a system error, or the message of an error of TLS or undici. */
function reasonOf(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return /^E[A-Z]+$/.test(code) ? code : message.replace(/[^ -~]/g, '?').slice(0, MAX_REASON);
}
