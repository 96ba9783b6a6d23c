import {
  Body,
  Controller,
  Get,
  Header,
  HttpCode,
  Inject,
  Patch,
  Post,
  Req,
  Res,
  UseGuards,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BearerGuard } from '../auth/bearer.guard.js';
import { UserId } from '../auth/user-id.decorator.js';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { API_PREFIX } from '../http/api-request.js';
import { baseUrl } from '../http/base-url.js';
import { CreateSubmissionDto } from './dto/create-submission.dto.js';
import { PatchSubmissionDto } from './dto/patch-submission.dto.js';
import { StoreValuesDto } from './dto/store-values.dto.js';
import { IdempotencyKey } from './idempotency-key.decorator.js';
import {
  presentProgress,
  presentSubmission,
  presentSubmissionWithValues,
  presentValue,
} from './submission.presenter.js';
import { Reference, type SubmissionReference } from './submission-reference.js';
import { SubmissionsService } from './submissions.service.js';
import { ValuesService } from './values.service.js';

@UseGuards(BearerGuard)
@Controller(`${API_PREFIX}/submissions`)
export class SubmissionsController {
  constructor(
    private readonly submissions: SubmissionsService,
    private readonly values: ValuesService,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  @Post()
  @Header('Cache-Control', 'no-store')
  async create(
    @UserId() userId: number,
    @IdempotencyKey() key: string | undefined,
    @Body() body: CreateSubmissionDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const submission = await this.submissions.create(userId, body.form_uuid, key);
    void reply.header(
      'Location',
      `${baseUrl(this.environment, request)}${API_PREFIX}/submissions/${submission.uuid}`,
    );
    return withEtag(reply, submission.updated_at, presentSubmission(submission));
  }

  @Get(':uuid')
  @Header('Cache-Control', 'no-store')
  async get(@Reference() reference: SubmissionReference, @Res({ passthrough: true }) reply: FastifyReply) {
    const { submission, values, form } = await this.submissions.getWithValues(reference);
    return withEtag(reply, submission.updated_at, presentSubmissionWithValues(submission, values, form));
  }

  @Patch(':uuid')
  @Header('Cache-Control', 'no-store')
  async patch(
    @Reference() reference: SubmissionReference,
    @Body() body: PatchSubmissionDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const submission = await this.submissions.patch(reference, body);
    return withEtag(reply, submission.updated_at, presentSubmission(submission));
  }

  @Post(':uuid/values')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  async storeValues(
    @Reference() reference: SubmissionReference,
    @Body() body: StoreValuesDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { updatedAt, values } = await this.values.store(reference, body.values);
    return withEtag(
      reply,
      updatedAt,
      values.map(({ field, value, entityRecordId }) =>
        presentValue(field.id, field.code, value, entityRecordId),
      ),
    );
  }

  @Post(':uuid/advance')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  async advance(
    @IdempotencyKey() key: string | undefined,
    // Nest reads the last parameter first: a malformed UUID is answered before a bad key (F6).
    @Reference() reference: SubmissionReference,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const moved = await this.submissions.advance(reference, key);
    return withEtag(reply, moved.updated_at, presentProgress(moved));
  }

  @Post(':uuid/retreat')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  async retreat(
    @IdempotencyKey() key: string | undefined,
    // Nest reads the last parameter first: a malformed UUID is answered before a bad key (F6).
    @Reference() reference: SubmissionReference,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const moved = await this.submissions.retreat(reference, key);
    return withEtag(reply, moved.updated_at, presentProgress(moved));
  }
}

/** The state of a submission is told apart by when it was last written (S11). */
function withEtag<T>(reply: FastifyReply, updatedAt: string, data: T): { data: T } {
  void reply.header('ETag', `"${updatedAt}"`);
  return { data };
}
