import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Measurements } from '../../process/measurements.js';
import { IdentitiesService, type KeysOfIssuer } from './identities.service.js';

@Injectable()
export class IdentityMeasurements implements OnModuleInit {
  constructor(
    private readonly measurements: Measurements,
    private readonly identities: IdentitiesService,
  ) {}

  onModuleInit(): void {
    const { measurements, identities } = this;
    const each = (of: (keys: KeysOfIssuer) => number) => () =>
      Object.fromEntries(identities.keys().map((keys) => [keys.issuer, of(keys)]));
    measurements.gauge(
      'formtrail_identity_provider_keys',
      'Keys that verify JSON web tokens. 0: none were fetched, or not for 24 hours, or all are unusable.',
      ['issuer'],
      each(({ count }) => count),
    );
    measurements.gauge(
      'formtrail_identity_provider_keys_age_seconds',
      'Seconds since the keys were last fetched, or since the start if they were never fetched. Keys end after 86400.',
      ['issuer'],
      each(({ age }) => age),
    );
  }
}
