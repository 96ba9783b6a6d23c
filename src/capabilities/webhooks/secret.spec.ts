import { randomBytes } from 'node:crypto';
import {
  decryptSecret,
  encryptSecret,
  newSecret,
  parseWebhookKey,
  presentSecret,
  signedHeaders,
} from './secret.js';

describe('signatures', () => {
  it('match the example in the specification of Standard Webhooks', () => {
    const secret = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
    expect(
      signedHeaders('msg_p5jXN8AQM9LWM0D4loKWxJek', 1614265330, '{"test": 2432232314}', [secret]),
    ).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });
});

describe('a secret', () => {
  const key = randomBytes(32);
  const secret = newSecret();

  it('has 256 bits, and is presented as base64 with a prefix', () => {
    expect(presentSecret(secret)).toBe(`whsec_${secret.toString('base64')}`);
    expect(secret).toHaveLength(32);
  });

  it('is encrypted with the key, and differently each time', () => {
    const stored = encryptSecret(secret, key);
    expect(stored.includes(secret)).toBe(false);
    expect(encryptSecret(secret, key)).not.toEqual(stored);
    expect(decryptSecret(stored, key)).toEqual(secret);
  });

  it('is not decrypted with another key, or after any byte of it was changed', () => {
    const stored = encryptSecret(secret, key);
    expect(() => decryptSecret(stored, randomBytes(32))).toThrow('encrypted with another WEBHOOK_KEY');
    for (let at = 0; at < stored.length; at += 1) {
      const changed = Buffer.from(stored);
      changed[at]! ^= 1;
      expect(() => decryptSecret(changed, key)).toThrow('cannot be decrypted');
    }
  });
});

it('a key must be 32 bytes in base64', () => {
  const key = randomBytes(32);
  expect(parseWebhookKey(key.toString('base64'))).toEqual(key);
  for (const text of [randomBytes(31).toString('base64'), key.toString('hex'), key.toString('base64url'), ''])
    expect(() => parseWebhookKey(text)).toThrow('WEBHOOK_KEY must be');
});
