import {
  Controller,
  Get,
  Header,
  Headers,
  HttpCode,
  HttpStatus,
  Put,
  Req,
  Res,
  StreamableFile,
} from '@nestjs/common';
import contentDisposition from 'content-disposition';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiGuarded } from '../http/openapi/openapi.decorators.js';
import { API_PREFIX } from '../http/api-prefix.js';
import { Reference, type SubmissionReference } from '../submissions/submission-reference.decorator.js';
import { Content, type UploadedContent } from './content.decorator.js';
import { FileContentsService, entityTag } from './file-contents.service.js';
import { FileUuid } from './file-reference.decorator.js';
import { ApiGetFileContent, ApiUploadFileContent } from './file-contents.openapi.js';

/** Separate from {@link FilesController}, whose request bodies are JSON. */
@ApiGuarded('Files')
@Controller(`${API_PREFIX}/submissions/:uuid/files/:file/content`)
export class FileContentsController {
  constructor(private readonly contents: FileContentsService) {}

  @ApiGetFileContent()
  @Get()
  @Header('Cache-Control', 'no-store')
  async read(
    @Reference() reference: SubmissionReference,
    @FileUuid() uuid: string,
    @Headers('range') range: string | undefined,
    @Headers('if-range') ifRange: string | undefined,
    @Req() { method }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const found = await this.contents.read(reference, uuid, { isHead: method === 'HEAD', range, ifRange });
    if ('link' in found) {
      void reply.status(HttpStatus.FOUND).header('Location', found.link);
      return undefined;
    }
    const { file, content, range: sent } = found;
    void reply.header('Accept-Ranges', 'bytes').header('ETag', entityTag(file));
    if (sent !== undefined)
      void reply
        .status(HttpStatus.PARTIAL_CONTENT)
        .header('Content-Range', `bytes ${sent.start}-${sent.end}/${file.size}`);
    return new StreamableFile(content, {
      type: file.media_type,
      disposition: contentDisposition(file.name),
      length: sent === undefined ? file.size : sent.end - sent.start + 1,
    });
  }

  @ApiUploadFileContent()
  @Put()
  @HttpCode(HttpStatus.NO_CONTENT)
  @Header('Cache-Control', 'no-store')
  upload(
    @Reference() reference: SubmissionReference,
    @FileUuid() file: string,
    @Content() content: UploadedContent,
  ) {
    return this.contents.upload(reference, file, content);
  }
}
