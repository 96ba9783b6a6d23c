import {
  Body,
  Controller,
  Delete,
  Get,
  Header,
  HttpCode,
  HttpStatus,
  Post,
  Res,
  UseGuards,
} from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { API_PREFIX } from '../../http/api-prefix.js';
import { BaseUrl } from '../../http/headers/base-url.js';
import { JsonBodyGuard } from '../../http/bodies/json-body.guard.js';
import { Reference, type SubmissionReference } from '../../submissions/submission-reference.decorator.js';
import { ApiGuarded, ApiJson, ApiRoute, ApiSuccess } from '../../http/openapi/openapi.decorators.js';
import { locationHeaders, privateHeaders } from '../../http/openapi/openapi.headers.js';
import { dataEnvelope, listOf, one } from '../../http/openapi/openapi.schemas.js';
import { ApiReadsSubmission, ApiWritesSubmission } from '../../submissions/submission-reference.openapi.js';
import { CreateFileDto } from './dto/create-file.dto.js';
import { ApiFile, FileUuid, STORAGE_ERRORS } from './file-reference.decorator.js';
import { FilesService } from './files.service.js';
import { FileResponse, FileWithUploadResponse } from './dto/file.response.js';
import { file, fileWithUpload, newFile } from './files.examples.js';
import { FILE_PROBLEMS } from './problems.js';

@ApiGuarded('Files')
@UseGuards(JsonBodyGuard)
@Controller(`${API_PREFIX}/submissions/:uuid/files`)
export class FilesController {
  constructor(private readonly files: FilesService) {}

  @ApiRoute(
    'List the files of a submission',
    'Returns all files in the order in which their uploads were created.',
  )
  @ApiSuccess(200, dataEnvelope(listOf(FileResponse, [file])))
  @ApiReadsSubmission()
  @Get()
  @Header('Cache-Control', 'no-store')
  async listFiles(@Reference() reference: SubmissionReference) {
    return { data: await this.files.list(reference) };
  }

  @ApiRoute(
    'Create an upload',
    'Returns the URL for its content. Send the content to this URL with the headers of `upload`, then commit the file, ' +
      'then store its `value` in the field.',
  )
  @ApiJson(CreateFileDto, newFile)
  @ApiSuccess(201, dataEnvelope(one(FileWithUploadResponse, fileWithUpload)), {
    ...privateHeaders,
    ...locationHeaders,
  })
  @ApiWritesSubmission('invalid_data', 'already_completed', ...STORAGE_ERRORS)
  @Post()
  @Header('Cache-Control', 'no-store')
  async createFile(
    @Reference() reference: SubmissionReference,
    @Body() announced: CreateFileDto,
    @BaseUrl() baseUrl: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const file = await this.files.create(reference, announced, baseUrl);
    const path = `${API_PREFIX}/submissions/${reference.uuid}/files/${file.uuid}`;
    void reply.header('Location', baseUrl + path);
    return { data: file };
  }

  @ApiRoute(
    'Read the properties of a file',
    'Its `state` shows whether it was committed, and the result of a scan.',
  )
  @ApiFile()
  @ApiSuccess(200, dataEnvelope(one(FileResponse, file)))
  @ApiReadsSubmission(FILE_PROBLEMS.file_not_found)
  @Get(':file')
  @Header('Cache-Control', 'no-store')
  async getFile(@Reference() reference: SubmissionReference, @FileUuid() file: string) {
    return { data: await this.files.get(reference, file) };
  }

  @ApiRoute(
    'Commit an uploaded file',
    'Verifies the content. Afterwards the file can be the value of its field.',
  )
  @ApiFile()
  @ApiSuccess(200, dataEnvelope(one(FileResponse, file)))
  @ApiWritesSubmission(FILE_PROBLEMS.file_not_found, 'invalid_data', 'already_completed', ...STORAGE_ERRORS)
  @Post(':file/commit')
  @HttpCode(HttpStatus.OK)
  @Header('Cache-Control', 'no-store')
  async commitFile(@Reference() reference: SubmissionReference, @FileUuid() file: string) {
    return { data: await this.files.commit(reference, file) };
  }

  @ApiRoute('Remove a file', 'Deletes the file in any state, together with the value that references it.')
  @ApiFile()
  @ApiSuccess(204)
  @ApiWritesSubmission(FILE_PROBLEMS.file_not_found, 'already_completed')
  @Delete(':file')
  @HttpCode(HttpStatus.NO_CONTENT)
  @Header('Cache-Control', 'no-store')
  deleteFile(@Reference() reference: SubmissionReference, @FileUuid() file: string) {
    return this.files.delete(reference, file);
  }
}
