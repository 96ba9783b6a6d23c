import type { Logger } from '@nestjs/common';
import { errors } from 'jose';

const INTERVAL = 60_000;

/**
 * Logs why tokens of an issuer are rejected, because the response does not say it. Logs at most one reason per issuer and minute.
 * A reason contains nothing from the token.
 */
export class RejectionLog {
  private readonly loggedAt = new Map<string, number>();

  constructor(private readonly logger: Logger) {}

  report(issuer: string, error: errors.JOSEError): void {
    // Expired tokens are ordinary.
    if (error instanceof errors.JWTExpired) return;
    const now = performance.now();
    if (now - (this.loggedAt.get(issuer) ?? -Infinity) < INTERVAL) return;
    this.loggedAt.set(issuer, now);
    // The messages of other errors may quote the header of the token, which nobody has signed.
    const reason = error instanceof errors.JWTClaimValidationFailed ? error.message : error.code;
    this.logger.warn({
      issuer,
      reason,
      msg: "A JSON web token was rejected. If the reason is not a client's mistake, compare JWT_ISSUERS with the settings of the provider.",
    });
  }
}
