import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiResponse } from '#swagger';
import { ApiContent, ApiInvalid, ApiProblem } from '../http/openapi/openapi.decorators.js';
import { createdFileHeaders, faultHeaders, privateHeaders } from '../http/openapi/openapi.headers.js';
import { inData, listOf, one, UUID } from '../http/openapi/openapi.schemas.js';
import {
  alreadyCompleted,
  databaseUnavailable,
  type FieldErrors,
  fieldError,
  overloaded,
  storageUnavailable,
} from '../http/errors/problems.js';
import { ApiReadsSubmission, ApiWritesSubmission } from '../submissions/submissions.openapi.js';
import { CreateFileDto } from './dto/create-file.dto.js';
import { FileResponse, FileWithUploadResponse } from './dto/file.response.js';

const announced = {
  field_code: 'cv',
  name: 'cv.pdf',
  size: 48_213,
  media_type: 'application/pdf',
  sha256: '8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4',
};

const file = {
  uuid: '01a1fd9a-9a4b-7c31-9b5d-2f8e41c07a66',
  value: 'file:01a1fd9a-9a4b-7c31-9b5d-2f8e41c07a66',
  field_code: 'cv',
  entity_record_id: null,
  name: 'cv.pdf',
  size: 48_213,
  media_type: 'application/pdf',
  sha256: announced.sha256,
  state: 'pending',
  is_ready: false,
  created_at: '2026-11-21T10:16:12.507311Z',
};

const stored = { ...file, state: 'stored', is_ready: true };

const upload = {
  method: 'PUT',
  url: `https://forms.example.org/api/v1/submissions/01a1fd98-0b1c-7e44-8f02-9d1c5b6a7e10/files/${file.uuid}/content`,
  headers: {},
  expires_at: '2026-11-21T10:31:12.000000Z',
};

const announcementErrors = {
  notAFileField: {
    field_code: [fieldError('not_a_file_field', 'The field first_name does not take files.')],
  },
  tooLarge: {
    size: [
      fieldError('too_large', 'The size must be at most 1048576 bytes, but is 48213000.', {
        max: 1_048_576,
        size: 48_213_000,
      }),
    ],
  },
  notAccepted: {
    media_type: [
      fieldError(
        'type_mismatch',
        'The media_type, or the extension of the name, must be one of what the field accepts: application/pdf.',
        { accept: 'application/pdf' },
      ),
    ],
  },
  tooMany: {
    field_code: [
      fieldError(
        'too_many_files',
        'The field cv has 10 files already, which is the most it can have. Delete one first.',
        { max: 10 },
      ),
    ],
  },
} satisfies Record<string, FieldErrors>;

const contentErrors = {
  notUploaded: {
    content: [
      fieldError('not_uploaded', 'The content was not uploaded: send it to the URL of the upload first.'),
    ],
  },
  otherType: {
    content: [
      fieldError('type_mismatch', 'The content must be one of what the field accepts: application/pdf.', {
        accept: 'application/pdf',
      }),
    ],
  },
} satisfies Record<string, FieldErrors>;

export const otherContent = {
  otherSize: {
    content: [
      fieldError('size_mismatch', 'The content must have the 48213 bytes that were announced.', {
        size: 48_213,
      }),
    ],
  },
  otherHash: {
    content: [
      fieldError('hash_mismatch', 'The content must have the SHA-256 that was announced: upload it again.', {
        sha256: announced.sha256,
      }),
    ],
  },
} satisfies Record<string, FieldErrors>;

/** What is beside the service can be away, too. */
export const ApiReachesStorage = () =>
  ApiProblem(
    'The storage of files or the database cannot be reached, or too much is waiting for it. Send the request again.',
    { storage: storageUnavailable(), unavailable: databaseUnavailable(), overloaded: overloaded() },
    faultHeaders,
  );

export const ApiFile = () => ApiParam({ name: 'file', description: 'The UUID of the file.', schema: UUID });

const ApiFileContent = (status: number, description: string, example: FileWithUploadExample | FileExample) =>
  ApiContent({
    ...inData(one(status === 201 ? FileWithUploadResponse : FileResponse)),
    status,
    description,
    headers: status === 201 ? createdFileHeaders : privateHeaders,
    examples: { cv: { value: { data: example } } },
  });

type FileExample = typeof file;
type FileWithUploadExample = FileExample & { upload: typeof upload };

export const ApiCreateFile = () =>
  applyDecorators(
    ApiOperation({
      operationId: 'createFile',
      summary: 'Announce a file',
      description:
        'Says which file is to be uploaded for a field, and gets where to. Send its content there with `PUT` and the ' +
        'headers of `upload`, then commit it, then store its `value` in the field. A file that no value holds goes ' +
        'after 24 hours. Only where the service keeps files: 404 otherwise.',
    }),
    ApiWritesSubmission(),
    ApiReachesStorage(),
    ApiBody({ type: CreateFileDto, examples: { cv: { value: announced } } }),
    ApiFileContent(201, 'The file, and where to upload it.', { ...file, upload }),
    ApiInvalid(
      'A property is wrong, or the field takes no such file, or no more of them, or the submission is completed.',
      announcementErrors,
      { problems: { alreadyCompleted: alreadyCompleted() } },
    ),
  );

export const ApiListFiles = () =>
  applyDecorators(
    ApiOperation({
      operationId: 'listFiles',
      summary: 'List the files of a submission',
      description: 'All of them, in the order in which they were announced.',
    }),
    ApiReadsSubmission(),
    ApiContent({
      ...inData(listOf(FileResponse)),
      description: 'The files.',
      headers: privateHeaders,
      examples: { cv: { value: { data: [stored] } } },
    }),
  );

export const ApiGetFile = () =>
  applyDecorators(
    ApiOperation({
      operationId: 'getFile',
      summary: 'Read what is known of a file',
      description: 'Its state says whether it was committed, and what a scanner has found.',
    }),
    ApiReadsSubmission(),
    ApiFile(),
    ApiFileContent(200, 'The file.', stored),
  );

export const ApiCommitFile = () =>
  applyDecorators(
    ApiOperation({
      operationId: 'commitFile',
      summary: 'Say that a file was uploaded',
      description:
        'Verifies its size, its SHA-256 and, by its content, its type. From then on it can be the value of its field. ' +
        'It can be sent again.',
    }),
    ApiWritesSubmission(),
    ApiReachesStorage(),
    ApiFile(),
    ApiFileContent(200, 'The file, which is stored now.', stored),
    ApiInvalid(
      'The content is not there, or not what was announced or what the field accepts, or the submission is completed.',
      { ...contentErrors, ...otherContent },
      { problems: { alreadyCompleted: alreadyCompleted() } },
    ),
  );

export const ApiDeleteFile = () =>
  applyDecorators(
    ApiOperation({
      operationId: 'deleteFile',
      summary: 'Remove a file',
      description: 'In whatever state, with the value that holds it.',
    }),
    ApiWritesSubmission(),
    ApiFile(),
    ApiResponse({ status: 204, description: 'The file is gone.', headers: privateHeaders }),
    ApiInvalid('The submission is completed.', {}, { problems: { alreadyCompleted: alreadyCompleted() } }),
  );
