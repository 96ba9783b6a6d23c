import type { HeaderObject, HeadersObject, SchemaObject } from '#swagger';

const always = (description: string, schema: SchemaObject) => ({ required: true, description, schema });
const sometimes = (description: string, schema: SchemaObject) => ({ description, schema });
const only = (...values: string[]) => ({ type: 'string', enum: values });
const matching = (pattern: string) => ({ type: 'string', pattern });
const ETAG = matching('^"[^"]+"$');

/** Headers by their names under `components`. Responses refer to them under the names that are sent, such as `ETag`. */
export const HEADERS = {
  FormETag: always('Strong validator of this response. Send it in `If-None-Match`.', ETAG),
  SubmissionETag: always(
    'Strong validator of the submission: its `updated_at`. Send it in `If-Match`.',
    ETAG,
  ),
  FileETag: always('Strong validator of the content: its SHA-256. Send it in `If-Range`.', ETAG),
  Revalidate: always(
    '`no-cache`: revalidate your copy before each use.',
    only('no-cache', 'public, max-age=31536000, immutable'),
  ),
  ContentEncoding: sometimes('Depends on `Accept-Encoding`.', only('br', 'gzip')),
  NotStored: always('Personal data, which caches must not store.', only('no-store')),
  FaultNotStored: sometimes('Present if the service had begun to execute the request.', only('no-store')),
  Location: always('The absolute URL of the resource.', { type: 'string', format: 'uri' }),
  RequestId: always(
    'The `X-Request-Id` of the request, or a generated id, for the log of the service.',
    matching('^[\\w.:+/=@-]{1,128}$'),
  ),
  RateLimit: sometimes('Requests per minute for your user or IP address.', { type: 'integer', minimum: 1 }),
  RateLimitRemaining: sometimes('Requests left in the current minute.', { type: 'integer', minimum: 0 }),
  RetryAfter: always('Seconds to wait before you send the request again.', { type: 'integer', minimum: 0 }),
  Challenge: always('The scheme to authenticate with.', only('Bearer')),
  AcceptEncoding: sometimes('Present if the body was compressed.', only('identity')),
  AcceptRanges: always('You can request a part with `Range`.', only('bytes')),
  ContentRange: always('The range and the size of the file.', matching('^bytes (\\d+-\\d+|\\*)/\\d+$')),
  ContentDisposition: always('An attachment with the name of the file.', matching('^attachment')),
} satisfies Record<string, HeaderObject>;

function refs(headers: Readonly<Record<string, keyof typeof HEADERS>>): HeadersObject {
  return Object.fromEntries(
    Object.entries(headers).map(([name, component]) => [name, { $ref: `#/components/headers/${component}` }]),
  );
}

export const commonHeaders = refs({ 'X-Request-Id': 'RequestId' });
/** Headers of every response below /api/v1. The rate limit headers are absent if the request was not counted. */
export const limitHeaders = {
  ...commonHeaders,
  ...refs({ 'X-RateLimit-Limit': 'RateLimit', 'X-RateLimit-Remaining': 'RateLimitRemaining' }),
};
/** Headers of a response that contains the form, or of 304. */
export const formHeaders = {
  ...limitHeaders,
  ...refs({ ETag: 'FormETag', 'Cache-Control': 'Revalidate', 'Content-Encoding': 'ContentEncoding' }),
};
export const privateHeaders = { ...limitHeaders, ...refs({ 'Cache-Control': 'NotStored' }) };
export const submissionHeaders = { ...privateHeaders, ...refs({ ETag: 'SubmissionETag' }) };
export const location = refs({ Location: 'Location' });
export const fileHeaders = {
  ...privateHeaders,
  ...refs({ ETag: 'FileETag', 'Accept-Ranges': 'AcceptRanges', 'Content-Disposition': 'ContentDisposition' }),
};
/** Headers of responses with 401 or 5xx, which can occur before a handler runs and while the handler runs. */
export const faultHeaders = { ...limitHeaders, ...refs({ 'Cache-Control': 'FaultNotStored' }) };
export const retryAfter = refs({ 'Retry-After': 'RetryAfter' });
export const contentRange = refs({ 'Content-Range': 'ContentRange' });
export const challenge = refs({ 'WWW-Authenticate': 'Challenge' });
export const acceptEncoding = refs({ 'Accept-Encoding': 'AcceptEncoding' });
