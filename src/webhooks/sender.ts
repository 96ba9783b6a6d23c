import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector, request } from 'undici';
import { isAllowedAddress } from './allowed-address.js';
import { retryAfterOf } from './retry-schedule.js';

/** W4, milliseconds: to be connected, and to be told the status. */
const TIMEOUT = 15_000;
const CONNECT_TIMEOUT = 5_000;

/** Of a response this much is read, in bytes, so that its connection can be used again; of one that is longer, no more. */
const READ_AT_MOST = 16_384;

/** Characters: some tell the names in a receiver's certificate, all of them. */
const REASON_AT_MOST = 200;

/** What came of an attempt. */
export type Outcome =
  | { readonly delivered: true; readonly status: number }
  | {
      readonly delivered: false;
      /** For people; nothing of the response but its status. */
      readonly error: string;
      /** Undefined where there was no response. */
      readonly status?: number;
      /** Seconds. */
      readonly retryAfter?: number;
    };

class RefusedAddressError extends Error {
  constructor(address: string) {
    super(`${address} is no address of the internet; WEBHOOK_ALLOW may name its network`);
  }
}

/**
 * Sends webhooks, and only to where they may go (W5): names are resolved and checked where they are connected, so that the
 * address that was checked is the one that is connected to. Redirects are not followed.
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
        // An address in the URL is never looked up.
        const host = options.hostname.replace(/^\[|\]$/g, '');
        if (isIP(host) !== 0 && !isAllowedAddress(host, allowed))
          callback(new RefusedAddressError(host), null);
        else connect(options, callback);
      },
      maxHeaderSize: READ_AT_MOST,
    });
  }

  /** @throws Error where `stop` aborts it */
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
      // The response has been given, whatever becomes of the rest of it.
      await response.body.dump({ limit: READ_AT_MOST, signal }).catch(() => undefined);
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
      if (checked[0] === undefined) callback(new RefusedAddressError(first?.address ?? hostname), []);
      else if (options.all === true) callback(null, checked);
      else callback(null, checked[0].address, checked[0].family);
    });
  };
}

/** The system's errors are known by their codes, and those of TLS and of the library by what they say. */
function reasonOf(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return /^E[A-Z]+$/.test(code) ? code : message.replace(/[^ -~]/g, '?').slice(0, REASON_AT_MOST);
}
