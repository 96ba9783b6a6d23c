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
import { type AuthenticatedUser, User } from '../auth/authenticated-user.js';
import { Public, WithoutToken } from '../auth/public.decorator.js';
import { API_PREFIX } from '../http/api-prefix.js';
import { JsonBodyGuard } from '../http/bodies/json-body.guard.js';
import { AddressLimit, AddressLimitGuard } from '../throttling/address-limit.guard.js';
import { CreateRespondentDto, ResumeDto } from './dto/respondents.dto.js';
import {
  ApiCreateRespondent,
  ApiCreateResumeCode,
  ApiEndRespondent,
  ApiGetChallenge,
  ApiRespondents,
  ApiResume,
} from './respondents.openapi.js';
import { RespondentsService } from './respondents.service.js';

/** Tokens for visitors of public forms (P2 to P7). The guard of the limits comes first, so that rejected bodies are not read. */
@ApiRespondents()
@UseGuards(AddressLimitGuard, JsonBodyGuard)
@Controller(API_PREFIX)
export class RespondentsController {
  constructor(private readonly respondents: RespondentsService) {}

  @ApiCreateRespondent()
  @WithoutToken()
  @AddressLimit('respondents')
  @Post('respondents')
  @Header('Cache-Control', 'no-store')
  async create(@Body() { form_uuid, proof }: CreateRespondentDto) {
    return { data: await this.respondents.create(form_uuid, proof) };
  }

  @ApiEndRespondent()
  @Delete('respondents/me')
  @Header('Cache-Control', 'no-store')
  @HttpCode(HttpStatus.NO_CONTENT)
  end(@User() user: AuthenticatedUser) {
    return this.respondents.end(user);
  }

  @ApiCreateResumeCode()
  @Post('resume-codes')
  @Header('Cache-Control', 'no-store')
  async createCode(@User() user: AuthenticatedUser) {
    return { data: await this.respondents.createCode(user) };
  }

  @ApiResume()
  @WithoutToken()
  @AddressLimit('resume')
  @Post('resume')
  @Header('Cache-Control', 'no-store')
  async resume(@Body() { code }: ResumeDto) {
    return { data: await this.respondents.resume(code) };
  }

  @ApiGetChallenge()
  @Public()
  @Get('forms/:uuid/challenge')
  @Header('Cache-Control', 'no-store')
  async challenge(@Param('uuid') uuid: string) {
    return { data: await this.respondents.challenge(uuid) };
  }
}
