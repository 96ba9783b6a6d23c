import { MAX_ACCEPT, MAX_FILE_BYTES } from '../../forms/limits.js';
import {
  always,
  ETAG,
  headerRefs,
  matching,
  only,
  privateHeaders,
} from '../../http/openapi/openapi.headers.js';
import type { OpenApiPart } from '../../server/capability.js';

export const OPEN_API: OpenApiPart = {
  tags: [{ name: 'Files', description: 'Files as values of fields, if the service stores files.' }],
  headers: {
    FileETag: always('Strong validator of the content: its SHA-256. Send it in `If-Range`.', ETAG),
    AcceptRanges: always('You can request a part with `Range`.', only('bytes')),
    ContentRange: always('The range and the size of the file.', matching('^bytes (\\d+-\\d+|\\*)/\\d+$')),
    ContentDisposition: always('An attachment with the name of the file.', matching('^attachment')),
  },
  properties: [
    {
      ...{ schema: 'Field', after: 'computed' },
      properties: {
        max_bytes: {
          ...{ type: ['integer', 'null'], minimum: 1, maximum: MAX_FILE_BYTES },
          description: 'The maximum size of a file. Null: 25 MiB.',
        },
        accept: {
          ...{ type: ['string', 'null'], maxLength: MAX_ACCEPT },
          description: 'File types, in the format of the HTML attribute `accept`. Null: any file.',
        },
      },
    },
  ],
};

export const fileHeaders = {
  ...privateHeaders,
  ...headerRefs({
    ETag: 'FileETag',
    'Accept-Ranges': 'AcceptRanges',
    'Content-Disposition': 'ContentDisposition',
  }),
};

export const contentRange = headerRefs({ 'Content-Range': 'ContentRange' });
