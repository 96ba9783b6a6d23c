import {
  applyDecorators,
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
  UseGuards,
} from '@nestjs/common';
import { UserId } from '../auth/authenticated-user.js';
import { type Caller, RequestCaller } from '../auth/caller.decorator.js';
import { API_PREFIX } from '../http/api-prefix.js';
import { BaseUrl } from '../http/headers/base-url.js';
import { JsonBodyGuard } from '../http/bodies/json-body.guard.js';
import type { ProblemCode } from '../http/errors/problem-codes.js';
import { acceptsProblemDetails } from '../http/errors/problem-media-type.js';
import { CONDITIONS } from '../conditions/states/conditions.response.js';
import {
  ApiErrors,
  ApiGuarded,
  ApiJson,
  ApiRoute,
  ApiSuccess,
  BODY_ERRORS,
} from '../http/openapi/openapi.decorators.js';
import { locationHeaders, submissionHeaders } from '../http/openapi/openapi.headers.js';
import { type Content, listOf, one, withFormVersion } from '../http/openapi/openapi.schemas.js';
import { CreateSubmissionDto } from './dto/create-submission.dto.js';
import { AdvanceQuery, IncludeQuery, RetreatQuery } from './dto/include-query.dto.js';
import { PatchSubmissionDto } from './dto/patch-submission.dto.js';
import { StoreValuesDto } from './dto/store-values.dto.js';
import { ValidationQuery } from './dto/validation-query.dto.js';
import { ListQuery } from './list/list-query.dto.js';
import { CompletionService } from './completion/completion.service.js';
import { MovesService } from './drafts/moves.service.js';
import { OwnSubmissionsService } from './own-submissions.service.js';
import { presentSubmissionPage, presentValidation } from './submission.presenter.js';
import { Reference, type SubmissionReference } from './submission-reference.decorator.js';
import { type Respond, Responder } from './submission-state.js';
import { SubmissionsService } from './submissions.service.js';
import { ValuesService } from './values/values.service.js';
import {
  ShownSubmissionResponse,
  StepProgressResponse,
  SubmissionPageResponse,
  SubmissionResponse,
  SubmissionValueResponse,
  SubmissionWithValuesResponse,
  ValidationResponse,
} from './dto/submission.response.js';
import * as examples from './submissions.examples.js';
import {
  ApiIdempotencyKey,
  ApiReadsSubmission,
  ApiWritesSubmission,
} from './submission-reference.openapi.js';

/** The content in `data`, and beside it the conditions if the request includes them (V13). */
const withConditions = (content: Content) => withFormVersion(content, { conditions: CONDITIONS });

const ApiMove = (atTheEnd: ProblemCode) =>
  applyDecorators(
    ApiIdempotencyKey(),
    ApiSuccess(200, withConditions(one(StepProgressResponse, examples.progress)), submissionHeaders),
    ApiWritesSubmission('idempotent_request_running', 'invalid_data', 'already_completed', atTheEnd),
  );

@ApiGuarded('Submissions')
@UseGuards(JsonBodyGuard)
@Controller(`${API_PREFIX}/submissions`)
export class SubmissionsController {
  constructor(
    private readonly ownSubmissions: OwnSubmissionsService,
    private readonly submissions: SubmissionsService,
    private readonly values: ValuesService,
    private readonly moves: MovesService,
    private readonly completion: CompletionService,
  ) {}

  @ApiRoute('List your submissions', 'Returns a page of your submissions, newest first, without values.')
  @ApiSuccess(200, one(SubmissionPageResponse, examples.submissionPage))
  @ApiErrors('invalid_data')
  @Get()
  @Header('Cache-Control', 'no-store')
  async listSubmissions(@UserId() userId: number, @Query() query: ListQuery, @BaseUrl() baseUrl: string) {
    return presentSubmissionPage(
      await this.ownSubmissions.list(userId, query, `${baseUrl}${API_PREFIX}/submissions`),
    );
  }

  @ApiRoute(
    'Begin a submission',
    'Creates a draft on the first step of an active form. Only you can access it.',
  )
  @ApiIdempotencyKey()
  @ApiJson(CreateSubmissionDto, examples.newSubmission)
  @ApiSuccess(201, withConditions(one(ShownSubmissionResponse, examples.created)), {
    ...submissionHeaders,
    ...locationHeaders,
  })
  @ApiErrors(...BODY_ERRORS, 'submission_not_found', 'idempotent_request_running', 'invalid_data')
  @Post()
  @Header('Cache-Control', 'no-store')
  async createSubmission(
    @RequestCaller() caller: Caller,
    @Body() body: CreateSubmissionDto,
    @Query() query: IncludeQuery,
    @Responder() respond: Respond,
  ) {
    return respond(await this.ownSubmissions.create(caller, body, query));
  }

  @ApiRoute('Read a submission with its values', 'The values are sorted by field id, then by entity record.')
  @ApiSuccess(200, withConditions(one(SubmissionWithValuesResponse, examples.withValues)), submissionHeaders)
  @ApiReadsSubmission('invalid_data')
  @Get(':uuid')
  @Header('Cache-Control', 'no-store')
  async getSubmission(
    @Reference() reference: SubmissionReference,
    @Query() query: IncludeQuery,
    @Responder() respond: Respond,
  ) {
    return respond(await this.submissions.get(reference, query));
  }

  @ApiRoute(
    'Complete a submission or store its meta',
    'Both properties are optional. Either both changes are applied or neither. Completion is final.',
  )
  @ApiJson(PatchSubmissionDto, examples.submissionChange, false)
  @ApiSuccess(200, withFormVersion(one(SubmissionResponse, examples.changed)), submissionHeaders)
  @ApiWritesSubmission('invalid_data', 'already_completed')
  @Patch(':uuid')
  @Header('Cache-Control', 'no-store')
  async patchSubmission(
    @Reference() reference: SubmissionReference,
    @Body() changes: PatchSubmissionDto,
    @Responder() respond: Respond,
  ) {
    return respond(await this.submissions.patch(reference, changes));
  }

  @ApiRoute('Delete a draft', 'Deletes a draft permanently, with its values and records.')
  @ApiSuccess(204)
  @ApiWritesSubmission('already_completed')
  @Delete(':uuid')
  @Header('Cache-Control', 'no-store')
  @HttpCode(HttpStatus.NO_CONTENT)
  deleteSubmission(@Reference() reference: SubmissionReference) {
    return this.submissions.delete(reference);
  }

  @ApiRoute('Store values', 'Stores all entries or none. A value replaces the stored value of its field.')
  @ApiJson(StoreValuesDto, examples.newValues)
  @ApiSuccess(200, withConditions(listOf(SubmissionValueResponse, examples.storedValues)), submissionHeaders)
  @ApiWritesSubmission('invalid_data', 'already_completed')
  @Post(':uuid/values')
  @Header('Cache-Control', 'no-store')
  @HttpCode(HttpStatus.OK)
  async storeValues(
    @Reference() reference: SubmissionReference,
    @Body() { values }: StoreValuesDto,
    @Query() query: IncludeQuery,
    @Responder() respond: Respond,
  ) {
    return respond(await this.values.store(reference, values, query));
  }

  @ApiRoute(
    'Check the values as strict completion does',
    'Checks the values of all visible fields, or of the visible fields of one step. Changes nothing.',
  )
  @ApiSuccess(200, withFormVersion(one(ValidationResponse, examples.validation)))
  @ApiReadsSubmission('invalid_data')
  @Get(':uuid/validation')
  @Header('Cache-Control', 'no-store')
  async validateSubmission(
    @Reference() reference: SubmissionReference,
    @Query() { step }: ValidationQuery,
    @Headers('accept') accept: string | undefined,
  ) {
    const { form, errors } = await this.completion.validate(reference, step);
    return { data: presentValidation(errors, acceptsProblemDetails(accept)), form_version: form.version };
  }

  @ApiRoute(
    'Go to the next step',
    'Moves to the next step of the form, or with `skip=hidden` to the next step with a visible field.',
  )
  @ApiMove('already_on_last_step')
  @Post(':uuid/advance')
  @Header('Cache-Control', 'no-store')
  @HttpCode(HttpStatus.OK)
  async advanceSubmission(
    @Reference() reference: SubmissionReference,
    @Query() query: AdvanceQuery,
    @Responder() respond: Respond,
  ) {
    return respond(await this.moves.advance(reference, query));
  }

  @ApiRoute('Go back to the previous step', 'Moves back by one step of the form. Values do not change.')
  @ApiMove('already_on_first_step')
  @Post(':uuid/retreat')
  @Header('Cache-Control', 'no-store')
  @HttpCode(HttpStatus.OK)
  async retreatSubmission(
    @Reference() reference: SubmissionReference,
    @Query() query: RetreatQuery,
    @Responder() respond: Respond,
  ) {
    return respond(await this.moves.retreat(reference, query));
  }
}
