import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { isKey } from '../../config/formats.js';

/** AES-256-GCM. A stored secret is a nonce of 12 bytes, a tag of 16 bytes and the ciphertext. */
const CIPHER = 'aes-256-gcm';
const NONCE = 12;
const TAG = 16;

/** Receivers get a secret in the form of Standard Webhooks: this prefix and base64. */
const PREFIX = 'whsec_';

/** 32 random bytes. */
export const newSecret = (): Buffer => randomBytes(32);

export const presentSecret = (secret: Buffer): string => PREFIX + secret.toString('base64');

/** @throws Error if the text is not base64 of 32 bytes */
export function parseWebhookKey(text: string): Buffer {
  if (!isKey(text)) throw new Error('WEBHOOK_KEY must be 32 random bytes in base64.');
  return Buffer.from(text, 'base64');
}

export function encryptSecret(secret: Buffer, key: Buffer): Buffer {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv(CIPHER, key, nonce);
  const encrypted = Buffer.concat([cipher.update(secret), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]);
}

/** @throws Error if the secret was encrypted with another key, or the stored bytes have changed since */
export function decryptSecret(stored: Buffer, key: Buffer): Buffer {
  try {
    const decipher = createDecipheriv(CIPHER, key, stored.subarray(0, NONCE), { authTagLength: TAG });
    decipher.setAuthTag(stored.subarray(NONCE, NONCE + TAG));
    return Buffer.concat([decipher.update(stored.subarray(NONCE + TAG)), decipher.final()]);
  } catch {
    throw new Error('the secret cannot be decrypted: it was encrypted with another WEBHOOK_KEY');
  }
}

/** The encrypted secrets of an endpoint. */
export interface StoredSecrets {
  readonly secret: Buffer;
  /** Null if only `secret` signs webhooks. */
  readonly previous_secret: Buffer | null;
}

/**
 * Decrypts the secrets that sign webhooks to an endpoint (W3).
 *
 * @throws Error if a secret was encrypted with another key
 */
export function decryptSecrets({ secret, previous_secret }: StoredSecrets, key: Buffer): Buffer[] {
  const stored = previous_secret === null ? [secret] : [secret, previous_secret];
  return stored.map((one) => decryptSecret(one, key));
}

/**
 * Returns the headers of Standard Webhooks, with a signature for each secret.
 *
 * @param timestamp seconds since 1970
 */
export function signedHeaders(id: string, timestamp: number, body: string, secrets: readonly Buffer[]) {
  const signatures = secrets.map((secret) => {
    return `v1,${createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}
