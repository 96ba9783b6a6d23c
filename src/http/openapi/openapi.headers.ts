import type { HeaderObject, HeadersObject, ReferenceObject } from '#swagger';

/** A header that may be absent. If it is present, it always has the same value. */
const optional = (value: string, description: string) => ({
  description,
  schema: { type: 'string', enum: [value] },
  example: value,
});
/** A header that is always present, with the same value. */
const only = (value: string, description: string) => ({ required: true, ...optional(value, description) });
const etag = { type: 'string', pattern: '^"[^"]+"$' };

/** Headers by their names under `components`. Responses refer to them under the names that are sent, such as `ETag`. */
export const HEADERS = {
  FormETag: {
    required: true,
    description:
      'Strong validator of this response; each `Content-Encoding` has its own. Send it in `If-None-Match` ' +
      'to get a body only if it has changed.',
    schema: etag,
    example: '"nruedbRpo1DHGEXkq8n-BjuQpdu"',
  },
  SubmissionETag: {
    required: true,
    description:
      'Strong validator of the state of the submission: its `updated_at` in quotes. Send it in `If-Match` ' +
      'to write only if nothing else was written meanwhile.',
    schema: etag,
    example: '"2026-11-21T10:15:30.123456Z"',
  },
  Revalidate: {
    required: true,
    description:
      '`no-cache`: store it, but revalidate it with `If-None-Match` before each use. The schema of a kept version is ' +
      '`immutable`.',
    schema: { type: 'string', enum: ['no-cache', 'public, max-age=31536000, immutable'] },
    example: 'no-cache',
  },
  ContentEncoding: {
    description: '`br` or `gzip`, if the body is not small and `Accept-Encoding` allows it.',
    schema: { type: 'string', enum: ['br', 'gzip'] },
    example: 'br',
  },
  NotStored: only('no-store', '`no-store`: personal data, which caches must not store.'),
  FaultNotStored: optional('no-store', '`no-store` if the service had begun to execute the request.'),
  Location: {
    required: true,
    description: 'The absolute URL of the new resource.',
    schema: { type: 'string', format: 'uri' },
    example: 'https://forms.example.org/api/v1/submissions/01a1fd9a-9a4b-7c31-9b5d-2f8e41c07a66',
  },
  RequestId: {
    required: true,
    description:
      'The `X-Request-Id` of the request, or a generated id. The log of the service contains this id.',
    schema: { type: 'string', pattern: '^[\\w.:+/=@-]{1,128}$' },
    example: 'd5f2c1f0-6f6b-4e0e-9a53-0a4f7b6f2f11',
  },
  RateLimit: {
    description:
      'Requests per minute for your user or, without a valid token, your IP address. Absent if there is no limit.',
    schema: { type: 'integer', minimum: 1 },
    example: 60,
  },
  RateLimitRemaining: {
    description: 'Requests left in the current minute. Absent if there is no limit.',
    schema: { type: 'integer', minimum: 0 },
    example: 59,
  },
  RetryAfter: {
    required: true,
    description: 'Whole seconds to wait before the request is sent again.',
    schema: { type: 'integer', minimum: 0 },
    example: 2,
  },
  Challenge: only('Bearer', 'The scheme to authenticate with.'),
  AcceptEncoding: optional('identity', '`identity` if the body was rejected because it is compressed.'),
  FileETag: {
    required: true,
    description: 'Strong validator of the content of a file: its SHA-256. Send it in `If-Range`.',
    schema: etag,
    example: '"8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4"',
  },
  AcceptRanges: only('bytes', '`bytes`: you can request a part with `Range`.'),
  ContentRange: {
    required: true,
    description: 'The range of bytes and the size of the file; with 416 only the size.',
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

/** Headers of every response. */
export const commonHeaders: HeadersObject = { 'X-Request-Id': headerRef('RequestId') };

/** Headers of every response below /api/v1. The rate limit headers are absent if the request was not counted. */
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

/** Headers of a response that contains the form. */
export const formContentHeaders: HeadersObject = {
  ...formHeaders,
  'Content-Encoding': headerRef('ContentEncoding'),
};

/** Headers of a response about a submission, if the response has no ETag. */
export const privateHeaders: HeadersObject = { 'Cache-Control': headerRef('NotStored'), ...limitHeaders };

export const submissionHeaders: HeadersObject = { ETag: headerRef('SubmissionETag'), ...privateHeaders };

export const createdHeaders: HeadersObject = { Location: headerRef('Location'), ...submissionHeaders };

/** Headers of a new file, which has no ETag. */
export const createdFileHeaders: HeadersObject = { Location: headerRef('Location'), ...privateHeaders };

/** Headers of the bytes of a file. */
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

/** Headers of responses with 401 or 5xx, which can occur before a handler runs and while the handler runs. */
export const faultHeaders: HeadersObject = { 'Cache-Control': headerRef('FaultNotStored'), ...limitHeaders };

export const retryHeaders: HeadersObject = { 'Retry-After': headerRef('RetryAfter') };

/** The headers that a problem can have, by name. */
export const problemHeaders: HeadersObject = {
  ...retryHeaders,
  'Accept-Encoding': headerRef('AcceptEncoding'),
  'Content-Range': headerRef('ContentRange'),
  'WWW-Authenticate': headerRef('Challenge'),
};
