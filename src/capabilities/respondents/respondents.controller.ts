import {
  Body,
  Controller,
  Delete,
  Get,
  Header,
  HttpCode,
  HttpStatus,
  Param,
  Post,
  UseGuards,
} from '@nestjs/common';
import { ApiParam } from '#swagger';
import { type AuthenticatedUser, CurrentUser } from '../../auth/authenticated-user.js';
import { Public, WithoutToken } from '../../auth/public.decorator.js';
import { API_PREFIX } from '../../http/api-prefix.js';
import { JsonBodyGuard } from '../../http/bodies/json-body.guard.js';
import { AddressLimit, AddressLimitGuard } from './address-limit.guard.js';
import { form } from '../../forms/forms.examples.js';
import {
  ApiErrors,
  ApiJson,
  ApiPublic,
  ApiRoute,
  ApiSuccess,
  BODY_ERRORS,
  URL_ERRORS,
} from '../../http/openapi/openapi.decorators.js';
import { dataEnvelope, one, UUID_SCHEMA } from '../../http/openapi/openapi.schemas.js';
import { CreateRespondentDto, ResumeDto } from './dto/respondents.dto.js';
import { RespondentsService } from './respondents.service.js';
import {
  ChallengeResponse,
  RespondentTokenResponse,
  ResumeCodeResponse,
} from './dto/respondents.response.js';
import { challenge, newRespondent, resumeCode, token } from './respondents.examples.js';
import { RESPONDENT_PROBLEMS } from './problems.js';

const PROOF_ERRORS = [
  RESPONDENT_PROBLEMS.proof_of_work_unavailable,
  'database_unavailable',
  'overloaded',
] as const;

/** Tokens for visitors of public forms (P2 to P7). The guard of the limits comes first, so that rejected bodies are not read. */
@ApiPublic('Respondents')
@UseGuards(AddressLimitGuard, JsonBodyGuard)
@Controller(API_PREFIX)
export class RespondentsController {
  constructor(private readonly respondents: RespondentsService) {}

  @ApiRoute(
    'Become a respondent',
    'Creates a respondent of a public form, and returns its token, which works for this form only.',
  )
  @ApiJson(CreateRespondentDto, newRespondent)
  @ApiSuccess(201, dataEnvelope(one(RespondentTokenResponse, token)))
  @ApiErrors(...BODY_ERRORS, 'invalid_data', ...PROOF_ERRORS)
  @WithoutToken()
  @AddressLimit('respondents')
  @Post('respondents')
  @Header('Cache-Control', 'no-store')
  async createRespondent(@Body() { form_uuid, proof }: CreateRespondentDto) {
    return { data: await this.respondents.create(form_uuid, proof) };
  }

  @ApiRoute('End your token', 'Ends the token that you send, and all open codes of the respondent.')
  @ApiSuccess(204)
  @ApiErrors('unauthenticated', ...BODY_ERRORS, RESPONDENT_PROBLEMS.not_a_respondent)
  @Delete('respondents/me')
  @Header('Cache-Control', 'no-store')
  @HttpCode(HttpStatus.NO_CONTENT)
  endRespondent(@CurrentUser() user: AuthenticatedUser) {
    return this.respondents.end(user);
  }

  @ApiRoute(
    'Get a code for another device',
    'Returns a code with which another device gets a token of the same respondent, once.',
  )
  @ApiSuccess(201, dataEnvelope(one(ResumeCodeResponse, resumeCode)))
  @ApiErrors(
    'unauthenticated',
    ...BODY_ERRORS,
    RESPONDENT_PROBLEMS.not_a_respondent,
    RESPONDENT_PROBLEMS.too_many_resume_codes,
  )
  @Post('resume-codes')
  @Header('Cache-Control', 'no-store')
  async createResumeCode(@CurrentUser() user: AuthenticatedUser) {
    return { data: await this.respondents.createCode(user) };
  }

  @ApiRoute(
    'Continue on another device',
    'Uses a code, and returns a token of the respondent who asked for it.',
  )
  @ApiJson(ResumeDto, { code: resumeCode.code })
  @ApiSuccess(201, dataEnvelope(one(RespondentTokenResponse, token)))
  @ApiErrors(...BODY_ERRORS, 'invalid_data')
  @WithoutToken()
  @AddressLimit('resume')
  @Post('resume')
  @Header('Cache-Control', 'no-store')
  async resume(@Body() { code }: ResumeDto) {
    return { data: await this.respondents.resume(code) };
  }

  @ApiRoute('Get a challenge', 'Returns a challenge in the format of ALTCHA, which is valid for 10 minutes.')
  @ApiParam({
    name: 'uuid',
    description: 'The `uuid` of a form.',
    schema: { ...UUID_SCHEMA, example: form.uuid },
  })
  @ApiSuccess(200, dataEnvelope(one(ChallengeResponse, challenge)))
  @ApiErrors(...URL_ERRORS, 'form_not_found', RESPONDENT_PROBLEMS.challenge_not_found, ...PROOF_ERRORS)
  @Public()
  @Get('forms/:uuid/challenge')
  @Header('Cache-Control', 'no-store')
  async getChallenge(@Param('uuid') uuid: string) {
    return { data: await this.respondents.challenge(uuid) };
  }
}
