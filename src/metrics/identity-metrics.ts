import type { JwtUsers } from '../auth/jwt-users.js';
import type { ReadMetrics } from './readings.js';

/** Exports metrics of the keys of identity providers (A9). Call this only if JWT_ISSUERS is set. */
export function readIdentityProviders(metrics: ReadMetrics, users: JwtUsers): void {
  metrics.gauge(
    'formtrail_identity_provider_keys',
    'Keys that verify JSON web tokens. 0: none were fetched, or not for 24 hours, or all are unusable.',
    ['issuer'],
    () => users.keys().map(({ issuer, count }) => [{ issuer }, count]),
  );
  metrics.gauge(
    'formtrail_identity_provider_keys_age_seconds',
    'Seconds since the keys were last fetched, or since the start if they were never fetched. Keys end after 86400.',
    ['issuer'],
    () => users.keys().map(({ issuer, age }) => [{ issuer }, age]),
  );
}
