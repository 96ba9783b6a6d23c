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
    'Announces a file for a field, and returns the URL for its content. Send the content to this URL with `PUT` and the ' +
      'headers of `upload`, then commit the file, then store its `value` in the field. A file that no value references ' +
      'is deleted after 24 hours. If the service does not store files, the response is 404.',
    ApiWritesSubmission(),
    ApiErrors('storageUnavailable'),
    ApiBody({ type: CreateFileDto, examples: { cv: { value: announced } } }),
    ApiContent(
      201,
      inData(one(FileWithUploadResponse)),
      'The file, with the URL for its content.',
      createdFileHeaders,
      { cv: example({ ...file, upload }) },
    ),
    ApiInvalid(
      'A property is invalid, or the field accepts no such file or no more files, or the submission is completed.',
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
    'Returns all files in the order in which they were announced.',
    ApiReadsSubmission(),
    ApiContent(200, inData(listOf(FileResponse)), 'The files.', privateHeaders, { cv: example([stored]) }),
  );

export const ApiGetFile = () =>
  ApiRoute(
    'getFile',
    'Read the properties of a file',
    'Its `state` shows whether the file was committed, and the result of a scan.',
    ApiReadsSubmission(),
    ApiFile(),
    ApiStoredFile('The file.'),
  );

export const ApiCommitFile = () =>
  ApiRoute(
    'commitFile',
    'Commit an uploaded file',
    'Verifies the size, the SHA-256 and, by the content, the type. Afterwards the file can be the value of its field. ' +
      'You can repeat this request.',
    ApiWritesSubmission(),
    ApiErrors('storageUnavailable'),
    ApiFile(),
    ApiStoredFile('The stored file.'),
    ApiInvalid(
      'The content is missing, is not the announced one or is of a type that the field does not accept, or the ' +
        'submission is completed.',
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
    'Deletes the file in any state, together with the value that references it.',
    ApiWritesSubmission(),
    ApiFile(),
    ApiResponse({ status: 204, description: 'The file is deleted.', headers: privateHeaders }),
    ApiProblem('The submission is completed.', COMPLETED),
  );
