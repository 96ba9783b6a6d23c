import { sha256 as hash } from '@noble/hashes/sha2.js';

/** A library, because `crypto.subtle` is asynchronous, slow for short texts, and missing on pages without HTTPS. */
export const sha256: (bytes: Uint8Array) => Uint8Array = hash;
