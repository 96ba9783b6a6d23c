import { Controller, Get, Header, HttpCode, Inject, Patch, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BearerGuard, userOf } from '../auth/bearer.guard.js';
import { ENVIRONMENT } from '../config/configuration.module.js';
import type { Environment } from '../config/environment.js';
import { addHeader } from '../http/answer.js';
import { API_PREFIX } from '../http/api-request.js';
import { baseUrl } from '../http/base-url.js';
import { sendState } from '../http/send-json.js';
import { readBody } from '../http/validation.js';
import { CreateSubmissionDto } from './dto/create-submission.dto.js';
import { PatchSubmissionDto } from './dto/patch-submission.dto.js';
import { StoreValuesDto } from './dto/store-values.dto.js';
import { idempotencyKeyOf } from './idempotency-key.js';
import {
  presentProgress,
  presentSubmission,
  presentSubmissionWithValues,
  presentValue,
} from './submission.presenter.js';
import { referenceOf } from './submission-reference.js';
import { SubmissionsService } from './submissions.service.js';
import { ValuesService } from './values.service.js';

/** Each reads the request itself, in the order in which what is wrong with it is told. */
@UseGuards(BearerGuard)
@Controller(`${API_PREFIX}/submissions`)
export class SubmissionsController {
  constructor(
    private readonly submissions: SubmissionsService,
    private readonly values: ValuesService,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  @Post()
  @Header('cache-control', 'no-store')
  async create(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const key = idempotencyKeyOf(request);
    const { form_uuid } = readBody(CreateSubmissionDto, request.body);
    const submission = await this.submissions.create(userOf(request), form_uuid, key);
    const url = baseUrl(this.environment, request);
    addHeader(reply, 'Location', `${url}${API_PREFIX}/submissions/${submission.uuid}`);
    sendState(reply, presentSubmission(submission), submission.updated_at);
  }

  @Get(':uuid')
  @Header('cache-control', 'no-store')
  async get(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const { submission, form } = await this.submissions.getWithValues(referenceOf(request));
    sendState(reply, presentSubmissionWithValues(submission, submission.values, form), submission.updated_at);
  }

  @Patch(':uuid')
  @Header('cache-control', 'no-store')
  async patch(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const reference = referenceOf(request);
    const changes = readBody(PatchSubmissionDto, request.body);
    const submission = await this.submissions.patch(reference, changes);
    sendState(reply, presentSubmission(submission), submission.updated_at);
  }

  @Post(':uuid/values')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  async storeValues(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const reference = referenceOf(request);
    const { values: entries } = readBody(StoreValuesDto, request.body);
    const { updatedAt, values } = await this.values.store(reference, entries);
    const data = values.map(({ field, value, entityRecordId }) =>
      presentValue(field.id, field.code, value, entityRecordId),
    );
    sendState(reply, data, updatedAt);
  }

  @Post(':uuid/advance')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  async advance(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const { moved, stepCount } = await this.submissions.advance(
      referenceOf(request),
      idempotencyKeyOf(request),
    );
    sendState(reply, presentProgress(moved, stepCount), moved.updated_at);
  }

  @Post(':uuid/retreat')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  async retreat(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const { moved, stepCount } = await this.submissions.retreat(
      referenceOf(request),
      idempotencyKeyOf(request),
    );
    sendState(reply, presentProgress(moved, stepCount), moved.updated_at);
  }
}
