import { applyDecorators } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiParam, ApiResponse } from '#swagger';
import { form } from '../forms/forms.examples.js';
import {
  fieldError,
  type FieldErrors,
  notARespondent,
  notFound,
  type Problem,
  proofOfWorkUnavailable,
  tooManyResumeCodes,
} from '../http/errors/problems.js';
import {
  ApiContent,
  ApiErrors,
  ApiInvalid,
  ApiProblem,
  ApiPublic,
  ApiRoute,
  example,
} from '../http/openapi/openapi.decorators.js';
import { faultHeaders, privateHeaders } from '../http/openapi/openapi.headers.js';
import { inData, one, UUID } from '../http/openapi/openapi.schemas.js';
import { formNotPublic, inactiveForm, unknownForm } from '../submissions/lifecycle/form-errors.js';
import { CreateRespondentDto, ResumeDto } from './dto/respondents.dto.js';
import {
  ChallengeResponse,
  RespondentTokenResponse,
  ResumeCodeResponse,
} from './dto/respondents.response.js';
import { invalidCode, invalidProof } from './respondent-errors.js';
import * as examples from './respondents.examples.js';

export const ApiRespondents = () => ApiPublic('Respondents');

const ApiNeedsToken = () => applyDecorators(ApiBearerAuth(), ApiErrors('unauthenticated'));

const errorsOf = ({ errors = {} }: Problem): FieldErrors => errors;

export const ApiCreateRespondent = () =>
  ApiRoute(
    'createRespondent',
    'Become a respondent',
    'Creates a respondent of a public form, and returns its token. Use the token like any other: for this form only, and ' +
      'with at most 5 open drafts. No token is needed, and a token in the request is ignored. An address may do this 60 ' +
      'times an hour, unless the operator has set RESPONDENT_LIMIT.',
    ApiBody({
      type: CreateRespondentDto,
      examples: {
        form: { value: { form_uuid: form.uuid } },
        withProof: {
          summary: 'With a proof of work',
          value: { form_uuid: form.uuid, proof: examples.proof },
        },
      },
    }),
    ApiContent(201, inData(one(RespondentTokenResponse)), 'The token.', privateHeaders, {
      token: example(examples.token),
    }),
    ApiInvalid('The form is not public, or the proof is not valid.', {
      unknown: errorsOf(unknownForm()),
      inactive: errorsOf(inactiveForm()),
      notPublic: errorsOf(formNotPublic()),
      proof: errorsOf(invalidProof()),
      missing: { form_uuid: [fieldError('required', 'The form_uuid is required.')] },
    }),
    ApiErrors('malformedBody', 'bodyTooLarge', 'notJson'),
    ApiUnavailable(),
  );

export const ApiEndRespondent = () =>
  ApiRoute(
    'endRespondent',
    'End your token',
    'Ends the token that you send, for example because other people use the same device, and all open codes of the ' +
      'respondent. Your drafts stay, and can be continued with another token of the same respondent: use a code on the ' +
      'other device first.',
    ApiNeedsToken(),
    ApiResponse({ status: 204, description: 'The token is no longer valid.', headers: privateHeaders }),
    ApiProblem('The token is not that of a respondent.', { other: notARespondent() }),
    ApiErrors('malformedBody', 'bodyTooLarge', 'notJson'),
  );

export const ApiCreateResumeCode = () =>
  ApiRoute(
    'createResumeCode',
    'Get a code for another device',
    'Returns a code with which another device gets a token of the same respondent. It can be used once, within 7 days, ' +
      'unless a token of the respondent is ended before. A respondent has at most 5 open codes.',
    ApiNeedsToken(),
    ApiContent(201, inData(one(ResumeCodeResponse)), 'The code.', privateHeaders, {
      code: example(examples.resumeCode),
    }),
    ApiProblem('The token is not that of a respondent, or there are too many open codes.', {
      other: notARespondent(),
      tooMany: tooManyResumeCodes(5),
    }),
    ApiErrors('malformedBody', 'bodyTooLarge', 'notJson'),
  );

export const ApiResume = () =>
  ApiRoute(
    'resume',
    'Continue on another device',
    'Uses a code, and returns a token of the respondent who asked for the code. No token is needed, and a token in the ' +
      'request is ignored. An address may try this 10 times a minute.',
    ApiBody({ type: ResumeDto, examples: { code: { value: { code: examples.resumeCode.code } } } }),
    ApiContent(201, inData(one(RespondentTokenResponse)), 'The token.', privateHeaders, {
      token: example(examples.token),
    }),
    ApiInvalid('The code is unknown, expired, ended or already used.', {
      invalid: errorsOf(invalidCode()),
      missing: { code: [fieldError('required', 'The code is required.')] },
    }),
    ApiErrors('malformedBody', 'bodyTooLarge', 'notJson'),
  );

export const ApiGetChallenge = () =>
  ApiRoute(
    'getChallenge',
    'Get a challenge',
    'Returns a challenge in the format of ALTCHA, which is valid for 10 minutes. Find the number from 0 to `maxnumber` ' +
      'whose SHA-256, after the salt, is the challenge. Then become a respondent with this proof of work.',
    ApiParam({
      name: 'uuid',
      description: 'The `uuid` of a form, in any letter case. A malformed UUID gets 404.',
      schema: { ...UUID, example: form.uuid },
    }),
    ApiContent(200, inData(one(ChallengeResponse)), 'The challenge.', privateHeaders, {
      challenge: example(examples.challenge),
    }),
    ApiProblem('There is no such form, or its `proof_of_work` is null.', {
      noForm: notFound('Form'),
      noChallenge: notFound('Challenge'),
    }),
    ApiErrors('malformedUrl'),
    ApiUnavailable(),
  );

const ApiUnavailable = () =>
  ApiProblem(
    'The operator has not set CHALLENGE_KEY, or the database is unavailable or overloaded.',
    { noKey: proofOfWorkUnavailable() },
    faultHeaders,
  );
