import type { Answer } from './client.js';

let addresses = 0;

/** Returns an address of a client that no other call has returned. */
export function newAddress(): string {
  addresses += 1;
  return [198, 18 + (addresses >> 16), addresses >> 8, addresses].map((part) => part & 255).join('.');
}

/** The header with which a trusted proxy names the address of a client. */
export const from = (address: string) => ({ 'X-Forwarded-For': address });

export const limitOf = ({ headers }: Answer) => headers.get('x-ratelimit-limit');
export const remaining = ({ headers }: Answer) => headers.get('x-ratelimit-remaining');
