import type { AuthenticatedUser, Scope } from '../../auth/authenticated-user.js';
import type { SharedLimit } from '../../throttling/address-allowance.js';

/** 25 MiB (P6). */
const MAX_FILE_BYTES = 25 * 2 ** 20;

/** The rights of a respondent's token (P3, P6, P10). */
export class RespondentScope implements Scope {
  readonly maxStored = { files: MAX_FILE_BYTES };

  constructor(
    /** The id of the only form of which the respondent may begin submissions. */
    readonly formId: number,
    /** Whether the token is that of a preview. */
    readonly beginsTests: boolean,
    /** The SHA-256 of the token, in hexadecimal. */
    readonly tokenHash: string,
    readonly sharedLimit: SharedLimit,
  ) {}
}

/** Returns undefined for a user who is not a respondent. */
export const scopeOf = ({ scope }: Pick<AuthenticatedUser, 'scope'>): RespondentScope | undefined =>
  scope instanceof RespondentScope ? scope : undefined;

/**
 * The row that requests of a respondent lock, for `Executor.retryWhileLocked`. They would only wait for each other, so they are
 * serialized.
 */
export const rowOf = (user: AuthenticatedUser): string | undefined =>
  scopeOf(user) === undefined ? undefined : `respondent ${user.id}`;
