import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector, request } from 'undici';
import { isAllowedAddress } from './allowed-address.js';
import { retryAfterOf } from './retry-schedule.js';

/** Milliseconds in which the status of the response must arrive, including the time to connect (W4). */
const TIMEOUT = 15_000;
const CONNECT_TIMEOUT = 5_000;

/**
 * Maximum bytes of the response headers, and of the body. The body is read only so that the connection can be reused.
 */
const MAX_READ = 16_384;

/** Maximum characters of an error message. Some messages list all names in a receiver's certificate. */
const MAX_REASON = 200;

/** The outcome of an attempt. */
export type Outcome =
  | { readonly delivered: true; readonly status: number }
  | {
      readonly delivered: false;
      /** A text for people. It contains nothing from the response except the status. */
      readonly error: string;
      /** Undefined if there was no response. */
      readonly status?: number;
      /** Seconds that the receiver asked to wait. */
      readonly retryAfter?: number;
    };

class RejectedAddressError extends Error {
  constructor(address: string) {
    super(`${address} is not a public address; WEBHOOK_ALLOW can allow its network`);
  }
}

/**
 * Sends webhooks to allowed addresses only (W5). A host name is resolved only once, while connecting, so the checked
 * address is also the address of the connection. Redirects are not followed.
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
        // Node.js calls `lookup` only for host names, so check an IP address here.
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
      // The status decides the outcome, even if reading the body fails.
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

/** Returns the code of a system error, or the message of an error of TLS or undici. */
function reasonOf(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return /^E[A-Z]+$/.test(code) ? code : message.replace(/[^ -~]/g, '?').slice(0, MAX_REASON);
}
