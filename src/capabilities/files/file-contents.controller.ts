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
import { ApiHeader, ApiOperation, ApiResponse, type HeadersObject } from '#swagger';
import { API_PREFIX } from '../../http/api-prefix.js';
import { Reference, type SubmissionReference } from '../../submissions/submission-reference.decorator.js';
import { ApiGuarded, ApiRoute, ApiSuccess } from '../../http/openapi/openapi.decorators.js';
import { contentRange, fileHeaders } from './files.openapi.js';
import { locationHeaders, privateHeaders } from '../../http/openapi/openapi.headers.js';
import { ApiReadsSubmission } from '../../submissions/submission-reference.openapi.js';
import { UploadBody, type UploadedContent } from './content.decorator.js';
import { FileContentsService, etagOfFile } from './file-contents.service.js';
import { ApiFile, FileUuid, STORAGE_ERRORS } from './file-reference.decorator.js';
import { FILE_PROBLEMS } from './problems.js';

const BYTES = { '*/*': { schema: { type: 'string', format: 'binary' } } };
const ApiBytes = (status: number, headers: HeadersObject) =>
  ApiResponse({ status, headers, description: 'The content.', content: BYTES });

/** Separate from {@link FilesController}, whose request bodies are JSON. */
@ApiGuarded('Files')
@Controller(`${API_PREFIX}/submissions/:uuid/files/:file/content`)
export class FileContentsController {
  constructor(private readonly contents: FileContentsService) {}

  @ApiRoute(
    'Read the content of a file',
    'Returns the content, always as an attachment, or redirects to a link that expires after 60 seconds.',
  )
  @ApiFile()
  @ApiHeader({ name: 'Range', description: 'One range of bytes.', schema: { type: 'string' } })
  @ApiHeader({ name: 'If-Range', description: 'The ETag of the part you have.', schema: { type: 'string' } })
  @ApiBytes(200, fileHeaders)
  @ApiBytes(206, { ...fileHeaders, ...contentRange })
  @ApiSuccess(302, undefined, { ...privateHeaders, ...locationHeaders })
  @ApiReadsSubmission(
    FILE_PROBLEMS.file_not_found,
    FILE_PROBLEMS.file_unavailable,
    FILE_PROBLEMS.range_not_satisfiable,
    ...STORAGE_ERRORS,
  )
  @Get()
  @Header('Cache-Control', 'no-store')
  async getFileContent(
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
    void reply.header('Accept-Ranges', 'bytes').header('ETag', etagOfFile(file));
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

  @ApiOperation({
    summary: 'Upload the content of a file',
    description:
      'Send the content unchanged, with any `Content-Type`, unless `upload` of the file has another URL.',
    requestBody: { required: true, content: BYTES },
  })
  @ApiFile()
  @ApiSuccess(204)
  @ApiReadsSubmission(
    ...([
      FILE_PROBLEMS.partial_upload,
      FILE_PROBLEMS.file_not_found,
      'request_timeout',
      FILE_PROBLEMS.file_too_large,
    ] as const),
    ...(['invalid_data', FILE_PROBLEMS.already_stored, 'already_completed'] as const),
    ...STORAGE_ERRORS,
  )
  @Put()
  @HttpCode(HttpStatus.NO_CONTENT)
  @Header('Cache-Control', 'no-store')
  uploadFileContent(
    @Reference() reference: SubmissionReference,
    @FileUuid() file: string,
    @UploadBody() content: UploadedContent,
  ) {
    return this.contents.upload(reference, file, content);
  }
}
