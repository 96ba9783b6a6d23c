import {
  Body,
  Controller,
  Get,
  Header,
  HttpCode,
  HttpStatus,
  Patch,
  Post,
  Query,
  Res,
  UseGuards,
} from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { UserId } from '../auth/user-id.decorator.js';
import { ApiGuarded } from '../docs/openapi.decorators.js';
import { API_PREFIX } from '../http/api-prefix.js';
import { BaseUrl } from '../http/base-url.js';
import { JsonBodyGuard } from '../http/json-body.guard.js';
import { AdvanceQuery } from './dto/advance-query.dto.js';
import { CreateSubmissionDto } from './dto/create-submission.dto.js';
import { PatchSubmissionDto } from './dto/patch-submission.dto.js';
import { StoreValuesDto } from './dto/store-values.dto.js';
import { ValidationQuery } from './dto/validation-query.dto.js';
import { IdempotencyKey } from './idempotency/idempotency-key.decorator.js';
import {
  presentProgress,
  presentStoredValues,
  presentState,
  presentSubmissionWithValues,
  presentValidation,
} from './submission.presenter.js';
import { Reference, type SubmissionReference } from './submission-reference.decorator.js';
import { withValidator } from './submission-state.js';
import {
  ApiAdvanceSubmission,
  ApiCreateSubmission,
  ApiGetSubmission,
  ApiPatchSubmission,
  ApiRetreatSubmission,
  ApiStoreValues,
  ApiValidateSubmission,
} from './submissions.openapi.js';
import { SubmissionsService } from './lifecycle/submissions.service.js';
import { ValuesService } from './values/values.service.js';

@ApiGuarded('Submissions')
@UseGuards(JsonBodyGuard)
@Controller(`${API_PREFIX}/submissions`)
export class SubmissionsController {
  constructor(
    private readonly submissions: SubmissionsService,
    private readonly values: ValuesService,
  ) {}

  @ApiCreateSubmission()
  @Post()
  @Header('Cache-Control', 'no-store')
  async create(
    @UserId() userId: number,
    @IdempotencyKey() key: string | undefined,
    @Body() { form_uuid }: CreateSubmissionDto,
    @BaseUrl() baseUrl: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const submission = await this.submissions.create(userId, form_uuid, key);
    void reply.header('Location', `${baseUrl}${API_PREFIX}/submissions/${submission.uuid}`);
    return withValidator(presentState(submission), reply);
  }

  @ApiGetSubmission()
  @Get(':uuid')
  @Header('Cache-Control', 'no-store')
  async get(@Reference() reference: SubmissionReference, @Res({ passthrough: true }) reply: FastifyReply) {
    return withValidator(presentSubmissionWithValues(await this.submissions.getWithValues(reference)), reply);
  }

  @ApiPatchSubmission()
  @Patch(':uuid')
  @Header('Cache-Control', 'no-store')
  async patch(
    @Reference() reference: SubmissionReference,
    @Body() changes: PatchSubmissionDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return withValidator(presentState(await this.submissions.patch(reference, changes)), reply);
  }

  @ApiStoreValues()
  @Post(':uuid/values')
  @Header('Cache-Control', 'no-store')
  @HttpCode(HttpStatus.OK)
  async storeValues(
    @Reference() reference: SubmissionReference,
    @Body() { values }: StoreValuesDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return withValidator(presentStoredValues(await this.values.store(reference, values)), reply);
  }

  @ApiValidateSubmission()
  @Get(':uuid/validation')
  @Header('Cache-Control', 'no-store')
  async validate(@Reference() reference: SubmissionReference, @Query() { step }: ValidationQuery) {
    return { data: presentValidation(await this.submissions.validate(reference, step)) };
  }

  @ApiAdvanceSubmission()
  @Post(':uuid/advance')
  @Header('Cache-Control', 'no-store')
  @HttpCode(HttpStatus.OK)
  async advance(
    @Reference() reference: SubmissionReference,
    @IdempotencyKey() key: string | undefined,
    @Query() { validate }: AdvanceQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const progress = presentProgress(await this.submissions.advance(reference, key, validate === 'true'));
    return withValidator(progress, reply);
  }

  @ApiRetreatSubmission()
  @Post(':uuid/retreat')
  @Header('Cache-Control', 'no-store')
  @HttpCode(HttpStatus.OK)
  async retreat(
    @Reference() reference: SubmissionReference,
    @IdempotencyKey() key: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return withValidator(presentProgress(await this.submissions.retreat(reference, key)), reply);
  }
}
