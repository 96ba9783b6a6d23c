import { isKey, KEY } from '../../config/formats.js';
import { MustBe, Variable, WholeNumber } from '../../config/variable.decorators.js';

export class RespondentSettings {
  /** Days after its last use when the token of a respondent expires (P4). */
  @Variable('RESPONDENT_TTL', Number)
  @WholeNumber(1, 180)
  readonly respondentTtl: number = 30;

  /** Maximum number of respondents per hour from one IP address (P6). 0: no limit. */
  @Variable('RESPONDENT_LIMIT', Number)
  @WholeNumber(0, 1_000_000_000)
  readonly respondentLimit: number = 60;

  /**
   * The key that signs the challenges of proofs of work (P7). Unset: with the embedded database, the service uses a
   * generated key in a file.
   */
  @Variable('CHALLENGE_KEY')
  @MustBe(KEY, isKey, { secret: true })
  readonly challengeKey: string | undefined;
}
