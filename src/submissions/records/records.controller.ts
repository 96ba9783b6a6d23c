import {
  Body,
  Controller,
  Delete,
  Get,
  Header,
  HttpCode,
  HttpStatus,
  Post,
  Query,
  UseGuards,
} from '@nestjs/common';
import { ApiParam } from '#swagger';
import { API_PREFIX } from '../../http/api-prefix.js';
import { JsonBodyGuard } from '../../http/bodies/json-body.guard.js';
import { ApiGuarded, ApiJson, ApiRoute, ApiSuccess } from '../../http/openapi/openapi.decorators.js';
import { locationHeaders, submissionHeaders } from '../../http/openapi/openapi.headers.js';
import { listOf, one, RECORD_ID_SCHEMA, withFormVersion } from '../../http/openapi/openapi.schemas.js';
import { Reference, type SubmissionReference } from '../submission-reference.decorator.js';
import { type Respond, Responder } from '../submission-state.js';
import { record } from '../submissions.examples.js';
import {
  ApiIdempotencyKey,
  ApiReadsSubmission,
  ApiWritesSubmission,
} from '../submission-reference.openapi.js';
import { RecordsService } from './records.service.js';
import { CreateRecordDto, RecordId, RecordResponse, RecordsQuery } from './records.dto.js';

@ApiGuarded('Submissions')
@UseGuards(JsonBodyGuard)
@Controller(`${API_PREFIX}/submissions/:uuid/records`)
export class RecordsController {
  constructor(private readonly records: RecordsService) {}

  @ApiRoute('List the entries of repeating groups', 'Returns the records of a submission, sorted by id.')
  @ApiSuccess(200, withFormVersion(listOf(RecordResponse, [record])))
  @ApiReadsSubmission('invalid_data')
  @Get()
  @Header('Cache-Control', 'no-store')
  async listRecords(@Reference() reference: SubmissionReference, @Query() { entity }: RecordsQuery) {
    const { form, records } = await this.records.list(reference, entity);
    return { data: records, form_version: form.version };
  }

  @ApiRoute(
    'Add an entry to a repeating group',
    'Creates a record of an entity of the form. To store values in it, send its id as `entity_record_id`.',
  )
  @ApiIdempotencyKey()
  @ApiJson(CreateRecordDto, { entity: record.entity })
  @ApiSuccess(201, withFormVersion(one(RecordResponse, record)), { ...submissionHeaders, ...locationHeaders })
  @ApiWritesSubmission('idempotent_request_running', 'invalid_data', 'already_completed')
  @Post()
  @Header('Cache-Control', 'no-store')
  async createRecord(
    @Reference() reference: SubmissionReference,
    @Body() { entity }: CreateRecordDto,
    @Responder() respond: Respond,
  ) {
    return respond(await this.records.create(reference, entity));
  }

  @ApiRoute('Remove an entry of a repeating group', 'Deletes a record and its values.')
  @ApiParam({ name: 'id', description: 'The id of the record.', schema: RECORD_ID_SCHEMA })
  @ApiSuccess(204, undefined, submissionHeaders)
  @ApiWritesSubmission('record_not_found', 'already_completed')
  @Delete(':id')
  @HttpCode(HttpStatus.NO_CONTENT)
  @Header('Cache-Control', 'no-store')
  async deleteRecord(
    @Reference() reference: SubmissionReference,
    @RecordId() id: number,
    @Responder() respond: Respond,
  ) {
    return respond(await this.records.delete(reference, id));
  }
}
