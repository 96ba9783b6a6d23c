import { Global, Module } from '@nestjs/common';
import { JWT_USERS } from './jwt-users.js';
import { IdentityMeasurements } from './identity-measurements.js';
import { IdentitiesService } from './identities.service.js';

/** Accepts JSON web tokens of identity providers. Loaded only if JWT_ISSUERS is set. */
@Global()
@Module({
  providers: [{ provide: JWT_USERS, useClass: IdentitiesService }, IdentityMeasurements],
  exports: [JWT_USERS],
})
export class IdentitiesModule {}
