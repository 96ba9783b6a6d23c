import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse } from '#swagger';
import {
  badRequest,
  fileAlreadyStored,
  fileTooLarge,
  fileUnavailable,
  malformedUrl,
  partialUpload,
  rangeNotSatisfiable,
  requestTimeout,
} from '../http/errors/problems.js';
import {
  ApiErrors,
  ApiInvalid,
  ApiProblem,
  ApiRoute,
  COMPLETED,
} from '../http/openapi/openapi.decorators.js';
import {
  createdFileHeaders,
  fileContentHeaders,
  fileRangeHeaders,
  privateHeaders,
} from '../http/openapi/openapi.headers.js';
import { ApiReadsSubmission } from '../submissions/submission-reference.openapi.js';
import { ApiFile, otherContent } from './files.openapi.js';

/** Content of any media type. */
const BYTES = { '*/*': { schema: { type: 'string', format: 'binary' } } };

export const ApiUploadFileContent = () =>
  applyDecorators(
    ApiOperation({
      operationId: 'uploadFileContent',
      summary: 'Upload the content of a file',
      description:
        'The `upload` of a new file has this URL unless the service stores files in S3. Send the content unchanged, ' +
        'with any `Content-Type`.',
      requestBody: { required: true, content: BYTES },
    }),
    ApiReadsSubmission(),
    ApiErrors('storageUnavailable'),
    ApiFile(),
    ApiResponse({
      status: 204,
      description: 'The content has arrived. Commit the file next.',
      headers: privateHeaders,
    }),
    ApiProblem('The request has only a part of the content, or the request or its URL is malformed.', {
      partial: partialUpload(),
      url: malformedUrl(),
      other: badRequest(),
    }),
    ApiProblem('The content is larger than announced.', { tooLarge: fileTooLarge(48_213) }),
    ApiProblem('The content did not arrive within seven minutes. Send it again.', {
      late: requestTimeout(),
    }),
    ApiInvalid(
      'The content is not the announced one, or the file is stored already, or the submission is completed.',
      otherContent,
      { alreadyStored: fileAlreadyStored(), ...COMPLETED },
    ),
  );

export const ApiGetFileContent = () =>
  ApiRoute(
    'getFileContent',
    'Read the content of a file',
    'Returns the bytes, always as an attachment, or redirects to a link that expires after 60 seconds.',
    ApiReadsSubmission(),
    ApiErrors('malformedUrl', 'storageUnavailable'),
    ApiFile(),
    ApiHeader({
      name: 'Range',
      description: 'One range of bytes.',
      schema: { type: 'string', examples: ['bytes=0-1023'] },
    }),
    ApiHeader({
      name: 'If-Range',
      description: 'An ETag. If the file has another ETag, the service ignores `Range`.',
      schema: { type: 'string' },
    }),
    ApiResponse({
      status: 200,
      description: 'The whole content.',
      headers: fileContentHeaders,
      content: BYTES,
    }),
    ApiResponse({ status: 206, description: 'The range.', headers: fileRangeHeaders, content: BYTES }),
    ApiResponse({
      status: 302,
      description: 'A link to the content.',
      headers: createdFileHeaders,
    }),
    ApiProblem('The file was not committed, or is infected.', {
      pending: fileUnavailable('it was not committed.'),
    }),
    ApiProblem('The file has no byte in the range.', { range: rangeNotSatisfiable(48_213) }),
  );
