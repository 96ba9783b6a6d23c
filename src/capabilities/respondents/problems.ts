import { problemTypes } from '../../http/errors/problem-codes.js';
import { fieldErrorIn, invalidDataProblem, Problem, retryAfter } from '../../http/errors/problems.js';

export const RESPONDENT_PROBLEMS = problemTypes({
  challenge_not_found: { status: 404, title: 'Challenge not found' },
  not_a_respondent: { status: 422, title: 'Not a respondent' },
  proof_of_work_unavailable: { status: 503, title: 'Proof of work unavailable' },
  too_many_resume_codes: { status: 422, title: 'Too many resume codes' },
});

export const RESPONDENT_FIELD_ERRORS = {
  form_not_public: [],
  invalid_code: [],
  invalid_proof: [],
  other_form: [],
  too_many_drafts: ['max'],
} as const;

export const respondentError = fieldErrorIn(RESPONDENT_FIELD_ERRORS);

/** For respondents (P2, P8). */
export const formNotPublicProblem = () =>
  invalidDataProblem({
    form_uuid: [
      respondentError(
        'form_not_public',
        'The form is not public. Only users with a token of their own can begin it.',
      ),
    ],
  });

/** The token of a respondent is bound to one form (P3). */
export const otherFormProblem = () =>
  invalidDataProblem({
    form_uuid: [
      respondentError('other_form', 'The token is for another form, and can begin only that form.'),
    ],
  });

export const tooManyDraftsProblem = (max: number) =>
  invalidDataProblem({
    form_uuid: [
      respondentError(
        'too_many_drafts',
        `You already have ${max} open drafts. Complete or delete one of them first.`,
        { max },
      ),
    ],
  });

export const notARespondentProblem = () =>
  new Problem(
    RESPONDENT_PROBLEMS.not_a_respondent,
    'Only respondents can do this, with a token from POST /api/v1/respondents or POST /api/v1/resume.',
  );

export const tooManyResumeCodesProblem = (max: number) =>
  new Problem(
    RESPONDENT_PROBLEMS.too_many_resume_codes,
    `There are already ${max} open codes. Use one of them, or wait until one expires.`,
  );

export const proofOfWorkUnavailableProblem = () =>
  new Problem(
    RESPONDENT_PROBLEMS.proof_of_work_unavailable,
    'The form asks for a proof of work, which this service cannot check at the moment.',
    retryAfter(60),
  );

export const challengeNotFoundProblem = () =>
  new Problem(RESPONDENT_PROBLEMS.challenge_not_found, 'Challenge not found.');
