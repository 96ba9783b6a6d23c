import type { Logger } from '@nestjs/common';
import { errors } from 'jose';
import { RejectionLog } from './rejection-log.js';

/** A log, with the reasons that it has logged. */
function rejectionLog() {
  const reasons: string[] = [];
  const warn = ({ issuer, reason }: Record<string, string>) => reasons.push(`${issuer}: ${reason}`);
  return { log: new RejectionLog({ warn } as unknown as Logger), reasons };
}

it.each<[string, unknown, string]>([
  [
    'the message of a wrong claim',
    new errors.JWTClaimValidationFailed('unexpected "aud"', {}, 'aud'),
    'unexpected "aud"',
  ],
  ['the code of another error of jose', new errors.JWSInvalid('quotes the header'), 'ERR_JWS_INVALID'],
  ['the message of an error of the runtime', new TypeError('the key is too small'), 'the key is too small'],
  ['the name of an error without a message', new DOMException('', 'DataError'), 'DataError'],
])('a rejection is logged with %s', (_, error, reason) => {
  const { log, reasons } = rejectionLog();
  log.report('https://id.example.org', error);
  expect(reasons).toEqual([`https://id.example.org: ${reason}`]);
});

it('rejections are logged once a minute for each issuer, and expired tokens never', () => {
  const { log, reasons } = rejectionLog();
  log.report('a', new errors.JWTExpired('expired', {}, 'exp'));
  for (let at = 0; at < 5; at += 1) for (const issuer of ['a', 'b']) log.report(issuer, new Error('wrong'));
  expect(reasons).toEqual(['a: wrong', 'b: wrong']);
});
