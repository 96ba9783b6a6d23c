import {
  Body,
  Controller,
  Delete,
  Get,
  Header,
  Headers,
  HttpCode,
  HttpStatus,
  Post,
  Query,
  Res,
  UseGuards,
} from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ApiGuarded } from '../../http/openapi/openapi.decorators.js';
import { API_PREFIX } from '../../http/api-prefix.js';
import { BaseUrl } from '../../http/headers/base-url.js';
import { JsonBodyGuard } from '../../http/bodies/json-body.guard.js';
import { Reference, type SubmissionReference } from '../submission-reference.decorator.js';
import { etagOf, withETag } from '../submission-state.js';
import { CreateRecordDto, RecordId, RecordsQuery } from './records.dto.js';
import { ApiCreateRecord, ApiDeleteRecord, ApiListRecords } from './records.openapi.js';
import { RecordsService } from './records.service.js';

@ApiGuarded('Submissions')
@UseGuards(JsonBodyGuard)
@Controller(`${API_PREFIX}/submissions/:uuid/records`)
export class RecordsController {
  constructor(private readonly records: RecordsService) {}

  @ApiListRecords()
  @Get()
  @Header('Cache-Control', 'no-store')
  async list(@Reference() reference: SubmissionReference, @Query() { entity }: RecordsQuery) {
    const { form, records } = await this.records.list(reference, entity);
    return { data: records, form_version: form.version };
  }

  @ApiCreateRecord()
  @Post()
  @Header('Cache-Control', 'no-store')
  async create(
    @Reference() reference: SubmissionReference,
    @Headers('Idempotency-Key') key: string | undefined,
    @Body() { entity }: CreateRecordDto,
    @BaseUrl() baseUrl: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { record, updatedAt, formVersion } = await this.records.create(reference, entity, key);
    const path = `${API_PREFIX}/submissions/${reference.uuid}/records/${record.id}`;
    void reply.header('Location', baseUrl + path);
    return withETag({ data: record, updatedAt, formVersion }, reply);
  }

  @ApiDeleteRecord()
  @Delete(':id')
  @HttpCode(HttpStatus.NO_CONTENT)
  @Header('Cache-Control', 'no-store')
  async delete(
    @Reference() reference: SubmissionReference,
    @RecordId() id: number,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    void reply.header('ETag', etagOf(await this.records.delete(reference, id)));
  }
}
