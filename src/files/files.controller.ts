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
import { ApiGuarded } from '../http/openapi/openapi.decorators.js';
import { API_PREFIX } from '../http/api-prefix.js';
import { BaseUrl } from '../http/headers/base-url.js';
import { JsonBodyGuard } from '../http/bodies/json-body.guard.js';
import { Reference, type SubmissionReference } from '../submissions/submission-reference.decorator.js';
import { CreateFileDto } from './dto/create-file.dto.js';
import { FileUuid } from './file-reference.decorator.js';
import { ApiCommitFile, ApiCreateFile, ApiDeleteFile, ApiGetFile, ApiListFiles } from './files.openapi.js';
import { FilesService } from './files.service.js';

@ApiGuarded('Files')
@UseGuards(JsonBodyGuard)
@Controller(`${API_PREFIX}/submissions/:uuid/files`)
export class FilesController {
  constructor(private readonly files: FilesService) {}

  @ApiListFiles()
  @Get()
  @Header('Cache-Control', 'no-store')
  async list(@Reference() reference: SubmissionReference) {
    return { data: await this.files.list(reference) };
  }

  @ApiCreateFile()
  @Post()
  @Header('Cache-Control', 'no-store')
  async create(
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

  @ApiGetFile()
  @Get(':file')
  @Header('Cache-Control', 'no-store')
  async get(@Reference() reference: SubmissionReference, @FileUuid() file: string) {
    return { data: await this.files.get(reference, file) };
  }

  @ApiCommitFile()
  @Post(':file/commit')
  @HttpCode(HttpStatus.OK)
  @Header('Cache-Control', 'no-store')
  async commit(@Reference() reference: SubmissionReference, @FileUuid() file: string) {
    return { data: await this.files.commit(reference, file) };
  }

  @ApiDeleteFile()
  @Delete(':file')
  @HttpCode(HttpStatus.NO_CONTENT)
  @Header('Cache-Control', 'no-store')
  delete(@Reference() reference: SubmissionReference, @FileUuid() file: string) {
    return this.files.delete(reference, file);
  }
}
