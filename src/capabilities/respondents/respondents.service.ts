import { Injectable } from '@nestjs/common';
import type { AuthenticatedUser } from '../../auth/authenticated-user.js';
import { TokensService } from '../../auth/tokens.service.js';
import { Database } from '../../database/database.js';
import { RowLockedError } from '../../database/database-errors.js';
import type { Executor } from '../../database/statement.js';
import type { PublishedForm } from '../../forms/published-form.js';
import { PublishedFormsService } from '../../forms/published-forms.service.js';
import {
  invalidDataProblem,
  notFoundProblem,
  type Problem,
  unauthenticatedProblem,
} from '../../http/errors/problems.js';
import { SubmissionGuards } from '../../submissions/guards-submissions.js';
import { inactiveFormProblem, unknownFormProblem } from '../../submissions/drafts/form-errors.js';
import { ChallengesService } from './challenges.service.js';
import type {
  ChallengeResponse,
  RespondentTokenResponse,
  ResumeCodeResponse,
} from './dto/respondents.response.js';
import {
  CREATE_CODE,
  CREATE_RESPONDENT,
  DELETE_TOKEN,
  LOCK_TOKEN,
  USE_RESUME_CODE,
  type ResumedRow,
  SPEND_PROOF,
} from './respondent.statements.js';
import { type RespondentScope, rowOf, scopeOf } from './respondent-scope.js';
import { newRespondentToken } from './respondent-token.js';
import { RespondentTokens } from './respondent-tokens.service.js';
import { hashResumeCode, newResumeCode } from './resume-code.js';
import {
  challengeNotFoundProblem,
  formNotPublicProblem,
  notARespondentProblem,
  respondentError,
  tooManyResumeCodesProblem,
} from './problems.js';

const MAX_OPEN_CODES = 5;

/** Issues the tokens of respondents: to a browser that begins a public form, and to another device (P2, P5). */
@Injectable()
export class RespondentsService {
  readonly counts = { created: 0, resumed: 0, refused: { form: 0, proof: 0, code: 0 } };
  private readonly lifetime: number;

  constructor(
    private readonly database: Database,
    private readonly published: PublishedFormsService,
    private readonly tokens: TokensService,
    private readonly challenges: ChallengesService,
    private readonly respondentTokens: RespondentTokens,
    private readonly guards: SubmissionGuards,
  ) {
    this.lifetime = respondentTokens.renewal.seconds;
  }

  async challenge(formUuid: string): Promise<ChallengeResponse> {
    const form = await this.published.byUuid(formUuid);
    if (form === undefined) throw notFoundProblem('Form');
    const challenge = await this.challenges.create(form);
    if (challenge === undefined) throw challengeNotFoundProblem();
    return challenge;
  }

  /** @throws Problem 422 under `form_uuid` or `proof` */
  async create(formUuid: string, proof: string | undefined): Promise<RespondentTokenResponse> {
    const form = await this.published.byUuid(formUuid);
    if (form === undefined) throw this.refuse('form', unknownFormProblem());
    if (!form.isActive) throw this.refuse('form', inactiveFormProblem());
    if (form.extension.access !== 'public') throw this.refuse('form', formNotPublicProblem());
    const rejection = await this.guards.rejectionOfNewcomer(this.database, form);
    if (rejection !== undefined) throw this.refuse('form', rejection);
    const challenge =
      form.extension.proof_of_work === null ? null : await this.challenges.verify(proof, form);
    if (challenge === undefined) throw this.refuse('proof', invalidProofProblem());
    const issued = await this.issue((hash) =>
      challenge === null
        ? this.insert(this.database, form, hash)
        : this.database.transaction(async (executor) => {
            // The proof is spent only if the respondent is created.
            const [spent] = await executor.query(SPEND_PROOF, [challenge]);
            if (spent === undefined) throw this.refuse('proof', invalidProofProblem());
            return this.insert(executor, form, hash);
          }),
    );
    this.counts.created += 1;
    return issued;
  }

  private insert(executor: Executor, form: PublishedForm, hash: string): Promise<ResumedRow> {
    return executor.retryWhileLocked(undefined, async (executor) => {
      const row = await executor.batch(CREATE_RESPONDENT, [form.id, `\\x${hash}`, this.lifetime]);
      if (row !== undefined) return Object.assign(row, { form_id: form.id, is_renewable: true });
      this.published.forget(form.id);
      if ((await this.published.byId(form.id, executor)) === undefined) throw unknownFormProblem();
      throw new RowLockedError();
    });
  }

  async end(user: AuthenticatedUser): Promise<void> {
    const { tokenHash } = respondentOf(user);
    await this.database.query(DELETE_TOKEN, [Buffer.from(tokenHash, 'hex')]);
    // The notification may arrive after the next request.
    this.tokens.cache.forget(tokenHash);
  }

  async createCode(user: AuthenticatedUser): Promise<ResumeCodeResponse> {
    const { beginsTests, tokenHash } = respondentOf(user);
    if (beginsTests) throw notARespondentProblem();
    const code = newResumeCode();
    const created = await this.database.transaction(async (executor) => {
      const [locked] = await executor.query(LOCK_TOKEN, [user.id, Buffer.from(tokenHash, 'hex')]);
      if (locked === undefined) throw unauthenticatedProblem();
      const [row] = await executor.query(CREATE_CODE, [user.id, hashResumeCode(code), MAX_OPEN_CODES]);
      if (row === undefined) throw tooManyResumeCodesProblem(MAX_OPEN_CODES);
      return row;
      // The transactions would only wait for each other's lock, each with a connection.
    }, rowOf(user));
    return { code, expires_at: created.expires_at };
  }

  /** @throws Problem 422 under `code`, which is the same for unknown, used and expired codes */
  async resume(written: string): Promise<RespondentTokenResponse> {
    const codeHash = hashResumeCode(written);
    if (codeHash === undefined) throw this.refuse('code', invalidCodeProblem());
    const issued = await this.issue((hash) =>
      this.database.retryWhileLocked(undefined, async (executor) => {
        const [row] = await executor.query(USE_RESUME_CODE, [
          codeHash,
          Buffer.from(hash, 'hex'),
          this.lifetime,
        ]);
        if (row === undefined) throw this.refuse('code', invalidCodeProblem());
        if (row.issued === null) throw new RowLockedError();
        return row.issued;
      }),
    );
    this.counts.resumed += 1;
    return issued;
  }

  private async issue(write: (hash: string) => Promise<ResumedRow>): Promise<RespondentTokenResponse> {
    const token = newRespondentToken();
    let expiresAt = '';
    await this.respondentTokens.cacheNew(token, async (hash) => {
      const row = await write(hash);
      expiresAt = row.expires_at;
      return Object.assign(row, { is_preview: false });
    });
    return { token, expires_at: expiresAt };
  }

  private refuse(reason: keyof RespondentsService['counts']['refused'], problem: Problem): Problem {
    this.counts.refused[reason] += 1;
    return problem;
  }
}

/** @throws Problem 422 for the token of any other user */
function respondentOf(user: AuthenticatedUser): RespondentScope {
  const scope = scopeOf(user);
  if (scope === undefined) throw notARespondentProblem();
  return scope;
}

/** One error for a missing, wrong, expired or used proof, so that it tells nothing about the challenge. */
const invalidProofProblem = () =>
  invalidDataProblem({
    proof: [
      respondentError(
        'invalid_proof',
        'The proof is missing, wrong, expired or used. Get a new challenge, and send its solution.',
      ),
    ],
  });

/** One error for an unknown, used or expired code, so that it tells nothing about other codes. */
const invalidCodeProblem = () =>
  invalidDataProblem({
    code: [
      respondentError(
        'invalid_code',
        'The code is wrong, expired or already used. Ask for a new code on the first device.',
      ),
    ],
  });
