import type { HeaderObject, HeadersObject, ReferenceObject } from '#swagger';

const etag = { type: 'string', pattern: '^"[^"]+"$' };

/** Under `components`; the name says what a header is, the key in a response how it is sent. */
export const HEADERS = {
  FormETag: {
    required: true,
    description:
      'Strong validator of this answer, another one for each `Content-Encoding`. Send it back in `If-None-Match` ' +
      'to hear only of changes.',
    schema: etag,
    example: '"nruedbRpo1DHGEXkq8n-BjuQpdu"',
  },
  SubmissionETag: {
    required: true,
    description:
      'Strong validator of the state of the submission: its `updated_at` in quotes. Send it back in `If-Match` ' +
      'to write only where nothing else was written meanwhile.',
    schema: etag,
    example: '"2026-11-21T10:15:30.123456Z"',
  },
  Revalidate: {
    required: true,
    description: '`no-cache`: keep it, but ask with `If-None-Match` before you use it again.',
    schema: { type: 'string', enum: ['no-cache'] },
    example: 'no-cache',
  },
  ContentEncoding: {
    description: '`br` or `gzip`, where the answer is not small and `Accept-Encoding` allows it.',
    schema: { type: 'string', enum: ['br', 'gzip'] },
    example: 'br',
  },
  NotStored: {
    required: true,
    description: '`no-store`: personal, not to be kept by caches.',
    schema: { type: 'string', enum: ['no-store'] },
    example: 'no-store',
  },
  FaultNotStored: {
    description: '`no-store` if the service had begun to carry the request out.',
    schema: { type: 'string', enum: ['no-store'] },
    example: 'no-store',
  },
  Location: {
    required: true,
    description: 'The absolute URL of what was created.',
    schema: { type: 'string', format: 'uri' },
    example: 'https://forms.example.org/api/v1/submissions/01a1fd9a-9a4b-7c31-9b5d-2f8e41c07a66',
  },
  RequestId: {
    required: true,
    description:
      "The `X-Request-Id` of the request, or one that was made for it. The service's log names the request by it.",
    schema: { type: 'string', pattern: '^[\\w.:+/=@-]{1,128}$' },
    example: 'd5f2c1f0-6f6b-4e0e-9a53-0a4f7b6f2f11',
  },
  RateLimit: {
    description:
      'Requests in a minute, by your user or (without a valid token) your IP address. Absent: no limit.',
    schema: { type: 'integer', minimum: 1 },
    example: 60,
  },
  RateLimitRemaining: {
    description: 'Requests left in the current minute. Absent: no limit.',
    schema: { type: 'integer', minimum: 0 },
    example: 59,
  },
  RetryAfter: {
    required: true,
    description: 'Whole seconds to wait before the request is sent again.',
    schema: { type: 'integer', minimum: 0 },
    example: 2,
  },
  Challenge: {
    required: true,
    description: 'The scheme to authenticate with.',
    schema: { type: 'string', enum: ['Bearer'] },
    example: 'Bearer',
  },
  AcceptEncoding: {
    description: '`identity`, where the body was refused because it is compressed.',
    schema: { type: 'string', enum: ['identity'] },
    example: 'identity',
  },
  FileETag: {
    required: true,
    description: 'Strong validator of the content of a file: its SHA-256. Send it in `If-Range`.',
    schema: etag,
    example: '"8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4"',
  },
  AcceptRanges: {
    required: true,
    description: '`bytes`: a part can be asked for with `Range`.',
    schema: { type: 'string', enum: ['bytes'] },
    example: 'bytes',
  },
  ContentRange: {
    required: true,
    description: 'Which bytes of how many; of how many alone where none is in the range.',
    schema: { type: 'string', pattern: '^bytes (\\d+-\\d+|\\*)/\\d+$' },
    example: 'bytes 0-1023/48213',
  },
  ContentDisposition: {
    required: true,
    description: 'Always an attachment, with the name of the file.',
    schema: { type: 'string', pattern: '^attachment' },
    example: 'attachment; filename="cv.pdf"',
  },
} satisfies Record<string, HeaderObject>;

function headerRef(name: keyof typeof HEADERS): ReferenceObject {
  return { $ref: `#/components/headers/${name}` };
}

/** On every answer. */
export const commonHeaders: HeadersObject = { 'X-Request-Id': headerRef('RequestId') };

/** On every answer under /api/v1; those of the limit, where it counted the request. */
export const limitHeaders: HeadersObject = {
  ...commonHeaders,
  'X-RateLimit-Limit': headerRef('RateLimit'),
  'X-RateLimit-Remaining': headerRef('RateLimitRemaining'),
};

export const formHeaders: HeadersObject = {
  ETag: headerRef('FormETag'),
  'Cache-Control': headerRef('Revalidate'),
  ...limitHeaders,
};

/** Where the form itself comes along. */
export const formContentHeaders: HeadersObject = {
  ...formHeaders,
  'Content-Encoding': headerRef('ContentEncoding'),
};

/** Of answers about a submission that do not say which state of it they are from. */
export const privateHeaders: HeadersObject = { 'Cache-Control': headerRef('NotStored'), ...limitHeaders };

export const submissionHeaders: HeadersObject = { ETag: headerRef('SubmissionETag'), ...privateHeaders };

export const createdHeaders: HeadersObject = { Location: headerRef('Location'), ...submissionHeaders };

/** Of what has no validator of its own. */
export const createdFileHeaders: HeadersObject = { Location: headerRef('Location'), ...privateHeaders };

/** Of the bytes of a file. */
export const fileContentHeaders: HeadersObject = {
  ETag: headerRef('FileETag'),
  'Accept-Ranges': headerRef('AcceptRanges'),
  'Content-Disposition': headerRef('ContentDisposition'),
  ...privateHeaders,
};

export const fileRangeHeaders: HeadersObject = {
  'Content-Range': headerRef('ContentRange'),
  ...fileContentHeaders,
};

/** Headers of faults and of 401, which can come before the handler of a route runs and while it runs. */
export const faultHeaders: HeadersObject = { 'Cache-Control': headerRef('FaultNotStored'), ...limitHeaders };

export const retryHeaders: HeadersObject = { 'Retry-After': headerRef('RetryAfter') };

/** Those that problems of the catalogue have. */
export const problemHeaders: HeadersObject = {
  ...retryHeaders,
  'Accept-Encoding': headerRef('AcceptEncoding'),
  'Content-Range': headerRef('ContentRange'),
  'WWW-Authenticate': headerRef('Challenge'),
};
