import { lookup } from 'node:dns/promises';
import { isAllowedAddress } from './allowed-address.js';

/**
 * Returns the addresses of the URL's host if webhooks may be sent to none of them (W5). Returns no addresses if one is
 * allowed, or if the name of the host is unknown here.
 */
export async function rejectedAddresses(url: string, allowed: readonly string[]): Promise<string[]> {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  const found = await lookup(host, { all: true }).catch(() => []);
  const addresses = [...new Set(found.map(({ address }) => address))];
  return addresses.some((address) => isAllowedAddress(address, allowed)) ? [] : addresses;
}
