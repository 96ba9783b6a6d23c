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

  report(issuer: string, error: unknown): void {
    // Expired tokens are ordinary.
    if (error instanceof errors.JWTExpired) return;
    const now = performance.now();
    if (now - (this.loggedAt.get(issuer) ?? -Infinity) < INTERVAL) return;
    this.loggedAt.set(issuer, now);
    const reason = reasonOf(error);
    this.logger.warn({
      issuer,
      reason,
      msg: "A JSON web token was rejected. If the reason is not a client's mistake, compare JWT_ISSUERS with the settings of the provider.",
    });
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTClaimValidationFailed) return error.message;
  // The messages of other errors of jose may quote the header of the token, which nobody has signed.
  if (error instanceof errors.JOSEError) return error.code;
  // The message of any other error describes the key.
  return (error as Error).message || (error as Error).name;
}
