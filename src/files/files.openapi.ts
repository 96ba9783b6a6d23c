import { ApiBody, ApiParam, ApiResponse } from '#swagger';
import {
  ApiContent,
  ApiErrors,
  ApiInvalid,
  ApiProblem,
  ApiRoute,
  COMPLETED,
  example,
} from '../http/openapi/openapi.decorators.js';
import { createdFileHeaders, privateHeaders } from '../http/openapi/openapi.headers.js';
import { inData, listOf, one, UUID } from '../http/openapi/openapi.schemas.js';
import { ApiReadsSubmission, ApiWritesSubmission } from '../submissions/submission-reference.openapi.js';
import { CreateFileDto } from './dto/create-file.dto.js';
import { FileResponse, FileWithUploadResponse } from './dto/file.response.js';
import {
  sizeTooLarge,
  hashError,
  notAFileField,
  notUploaded,
  sizeError,
  tooManyFiles,
  typeError,
} from './file-errors.js';

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

const PDF = 'application/pdf';

export const otherContent = {
  otherSize: { content: [sizeError(announced.size)] },
  otherHash: { content: [hashError(announced.sha256)] },
};

export const ApiFile = () => ApiParam({ name: 'file', description: 'The UUID of the file.', schema: UUID });

const ApiStoredFile = (description: string) =>
  ApiContent(200, inData(one(FileResponse)), description, privateHeaders, { cv: example(stored) });

export const ApiCreateFile = () =>
  ApiRoute(
    'createFile',
    'Announce a file',
    'Says which file is to be uploaded for a field, and gets where to. Send its content there with `PUT` and the ' +
      'headers of `upload`, then commit it, then store its `value` in the field. A file that no value holds goes ' +
      'after 24 hours. Only where the service keeps files: 404 otherwise.',
    ApiWritesSubmission(),
    ApiErrors('storageUnavailable'),
    ApiBody({ type: CreateFileDto, examples: { cv: { value: announced } } }),
    ApiContent(
      201,
      inData(one(FileWithUploadResponse)),
      'The file, and where to upload it.',
      createdFileHeaders,
      { cv: example({ ...file, upload }) },
    ),
    ApiInvalid(
      'A property is wrong, or the field takes no such file, or no more of them, or the submission is completed.',
      {
        notAFileField: { field_code: [notAFileField('first_name')] },
        tooLarge: { size: [sizeTooLarge(1_048_576, 48_213_000)] },
        notAccepted: { media_type: [typeError('media_type', PDF)] },
        tooMany: { field_code: [tooManyFiles(announced.field_code)] },
      },
      COMPLETED,
    ),
  );

export const ApiListFiles = () =>
  ApiRoute(
    'listFiles',
    'List the files of a submission',
    'All of them, in the order in which they were announced.',
    ApiReadsSubmission(),
    ApiContent(200, inData(listOf(FileResponse)), 'The files.', privateHeaders, { cv: example([stored]) }),
  );

export const ApiGetFile = () =>
  ApiRoute(
    'getFile',
    'Read what is known of a file',
    'Its state says whether it was committed, and what a scanner has found.',
    ApiReadsSubmission(),
    ApiFile(),
    ApiStoredFile('The file.'),
  );

export const ApiCommitFile = () =>
  ApiRoute(
    'commitFile',
    'Say that a file was uploaded',
    'Verifies its size, its SHA-256 and, by its content, its type. From then on it can be the value of its field. ' +
      'It can be sent again.',
    ApiWritesSubmission(),
    ApiErrors('storageUnavailable'),
    ApiFile(),
    ApiStoredFile('The file, which is stored now.'),
    ApiInvalid(
      'The content is not there, or not what was announced or what the field accepts, or the submission is completed.',
      {
        notUploaded: { content: [notUploaded()] },
        otherType: { content: [typeError('content', PDF)] },
        ...otherContent,
      },
      COMPLETED,
    ),
  );

export const ApiDeleteFile = () =>
  ApiRoute(
    'deleteFile',
    'Remove a file',
    'In whatever state, with the value that holds it.',
    ApiWritesSubmission(),
    ApiFile(),
    ApiResponse({ status: 204, description: 'The file is gone.', headers: privateHeaders }),
    ApiProblem('The submission is completed.', COMPLETED),
  );
