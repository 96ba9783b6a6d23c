import { Module } from '@nestjs/common';
import { IdentityMeasurements } from './identity-measurements.js';
import { IdentitiesService } from './identities.service.js';

/** Accepts JSON web tokens of identity providers. Loaded only if JWT_ISSUERS is set. */
@Module({ providers: [IdentitiesService, IdentityMeasurements] })
export class IdentitiesModule {}
