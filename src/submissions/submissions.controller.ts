import {
  Body,
  Controller,
  Delete,
  Get,
  Header,
  Headers,
  HttpCode,
  HttpStatus,
  Patch,
  Post,
  Query,
  Res,
  UseGuards,
} from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type AuthenticatedUser, User, UserId } from '../auth/authenticated-user.js';
import { ApiGuarded } from '../http/openapi/openapi.decorators.js';
import { API_PREFIX } from '../http/api-prefix.js';
import { BaseUrl } from '../http/headers/base-url.js';
import { JsonBodyGuard } from '../http/bodies/json-body.guard.js';
import { acceptsProblemDetails } from '../http/errors/problem-media-type.js';
import { CreateSubmissionDto } from './dto/create-submission.dto.js';
import { AdvanceQuery, IncludeQuery, RetreatQuery } from './dto/include-query.dto.js';
import { PatchSubmissionDto } from './dto/patch-submission.dto.js';
import { StoreValuesDto } from './dto/store-values.dto.js';
import { ValidationQuery } from './dto/validation-query.dto.js';
import { ListQuery } from './list/list-query.dto.js';
import { OwnSubmissionsService } from './list/own-submissions.service.js';
import { IncludedConditionsService } from './included-conditions.service.js';
import {
  presentCreated,
  presentProgress,
  presentStoredValues,
  presentState,
  presentSubmissionPage,
  presentSubmissionWithValues,
  presentValidation,
} from './submission.presenter.js';
import { Reference, type SubmissionReference } from './submission-reference.decorator.js';
import { withETag } from './submission-state.js';
import {
  ApiAdvanceSubmission,
  ApiCreateSubmission,
  ApiDeleteSubmission,
  ApiGetSubmission,
  ApiListSubmissions,
  ApiPatchSubmission,
  ApiRetreatSubmission,
  ApiStoreValues,
  ApiValidateSubmission,
} from './submissions.openapi.js';
import { MovesService } from './lifecycle/moves.service.js';
import { SubmissionsService } from './lifecycle/submissions.service.js';
import { ValuesService } from './values/values.service.js';

@ApiGuarded('Submissions')
@UseGuards(JsonBodyGuard)
@Controller(`${API_PREFIX}/submissions`)
export class SubmissionsController {
  constructor(
    private readonly submissions: SubmissionsService,
    private readonly moves: MovesService,
    private readonly values: ValuesService,
    private readonly ownSubmissions: OwnSubmissionsService,
    private readonly conditions: IncludedConditionsService,
  ) {}

  @ApiListSubmissions()
  @Get()
  @Header('Cache-Control', 'no-store')
  async list(@UserId() userId: number, @Query() query: ListQuery, @BaseUrl() baseUrl: string) {
    return presentSubmissionPage(
      await this.ownSubmissions.list(userId, query, `${baseUrl}${API_PREFIX}/submissions`),
    );
  }

  @ApiCreateSubmission()
  @Post()
  @Header('Cache-Control', 'no-store')
  async create(
    @User() user: AuthenticatedUser,
    @Headers('Idempotency-Key') key: string | undefined,
    @Body() { form_uuid }: CreateSubmissionDto,
    @Query() query: IncludeQuery,
    @BaseUrl() baseUrl: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const submission = await this.submissions.create(user, form_uuid, key);
    const { uuid } = submission;
    const reference = { userId: user.id, uuid };
    const body = await this.conditions.respond(presentCreated(submission), reference, query, reply);
    void reply.header('Location', `${baseUrl}${API_PREFIX}/submissions/${uuid}`);
    return body;
  }

  @ApiGetSubmission()
  @Get(':uuid')
  @Header('Cache-Control', 'no-store')
  async get(
    @Reference() reference: SubmissionReference,
    @Query() query: IncludeQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return this.submissions.getWithValues(reference, (found) =>
      this.conditions.respond(presentSubmissionWithValues(found), reference, query, reply, found),
    );
  }

  @ApiPatchSubmission()
  @Patch(':uuid')
  @Header('Cache-Control', 'no-store')
  async patch(
    @Reference() reference: SubmissionReference,
    @Body() changes: PatchSubmissionDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return withETag(presentState(await this.submissions.patch(reference, changes)), reply);
  }

  @ApiDeleteSubmission()
  @Delete(':uuid')
  @Header('Cache-Control', 'no-store')
  @HttpCode(HttpStatus.NO_CONTENT)
  delete(@Reference() reference: SubmissionReference) {
    return this.submissions.delete(reference);
  }

  @ApiStoreValues()
  @Post(':uuid/values')
  @Header('Cache-Control', 'no-store')
  @HttpCode(HttpStatus.OK)
  async storeValues(
    @Reference() reference: SubmissionReference,
    @Body() { values }: StoreValuesDto,
    @Query() query: IncludeQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const stored = presentStoredValues(await this.values.store(reference, values));
    return this.conditions.respond(stored, reference, query, reply);
  }

  @ApiValidateSubmission()
  @Get(':uuid/validation')
  @Header('Cache-Control', 'no-store')
  async validate(
    @Reference() reference: SubmissionReference,
    @Query() { step }: ValidationQuery,
    @Headers('accept') accept: string | undefined,
  ) {
    const { form, errors } = await this.submissions.validate(reference, step);
    return { data: presentValidation(errors, acceptsProblemDetails(accept)), form_version: form.version };
  }

  @ApiAdvanceSubmission()
  @Post(':uuid/advance')
  @Header('Cache-Control', 'no-store')
  @HttpCode(HttpStatus.OK)
  async advance(
    @Reference() reference: SubmissionReference,
    @Headers('Idempotency-Key') key: string | undefined,
    @Query() query: AdvanceQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const options = { key, validates: query.validate === 'true', skipsHidden: query.skip === 'hidden' };
    const progress = presentProgress(await this.moves.move('advance', reference, options));
    return this.conditions.respond(progress, reference, query, reply);
  }

  @ApiRetreatSubmission()
  @Post(':uuid/retreat')
  @Header('Cache-Control', 'no-store')
  @HttpCode(HttpStatus.OK)
  async retreat(
    @Reference() reference: SubmissionReference,
    @Headers('Idempotency-Key') key: string | undefined,
    @Query() query: RetreatQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const options = { key, skipsHidden: query.skip === 'hidden' };
    const progress = presentProgress(await this.moves.move('retreat', reference, options));
    return this.conditions.respond(progress, reference, query, reply);
  }
}
