import type { HeaderObject, HeadersObject, SchemaObject } from '#swagger';

export const always = (description: string, schema: SchemaObject) => ({
  required: true,
  description,
  schema,
});
const sometimes = (description: string, schema: SchemaObject) => ({ description, schema });
export const only = (...values: string[]) => ({ type: 'string', enum: values });
export const matching = (pattern: string) => ({ type: 'string', pattern });
export const ETAG = matching('^"[^"]+"$');

/** Headers by their names under `components`. Responses refer to them under the names that are sent, such as `ETag`. */
export const HEADERS = {
  FormETag: always('Strong validator of this response. Send it in `If-None-Match`.', ETAG),
  SubmissionETag: always(
    'Strong validator of the submission: its `updated_at`. Send it in `If-Match`.',
    ETAG,
  ),
  Revalidate: always(
    '`no-cache`: revalidate your copy before each use.',
    only('no-cache', 'public, max-age=31536000, immutable'),
  ),
  ContentEncoding: sometimes('Depends on `Accept-Encoding`.', only('br', 'gzip')),
  NotStored: always('Personal data, which caches must not store.', only('no-store')),
  FaultNotStored: sometimes(
    'Absent if the request failed before the service began to execute it.',
    only('no-store'),
  ),
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
} satisfies Record<string, HeaderObject>;

/** Returns references to components of these names, by the names that are sent. */
export function headerRefs(headers: Readonly<Record<string, string>>): HeadersObject {
  return Object.fromEntries(
    Object.entries(headers).map(([name, component]) => [name, { $ref: `#/components/headers/${component}` }]),
  );
}

export const commonHeaders = headerRefs({ 'X-Request-Id': 'RequestId' });
/** Headers of every response below /api/v1. The rate limit headers are absent if the request was not counted. */
export const limitHeaders = {
  ...commonHeaders,
  ...headerRefs({ 'X-RateLimit-Limit': 'RateLimit', 'X-RateLimit-Remaining': 'RateLimitRemaining' }),
};
/** Headers of a response that contains the form, or of 304. */
export const formHeaders = {
  ...limitHeaders,
  ...headerRefs({ ETag: 'FormETag', 'Cache-Control': 'Revalidate', 'Content-Encoding': 'ContentEncoding' }),
};
export const privateHeaders = { ...limitHeaders, ...headerRefs({ 'Cache-Control': 'NotStored' }) };
export const submissionHeaders = { ...privateHeaders, ...headerRefs({ ETag: 'SubmissionETag' }) };
export const locationHeaders = headerRefs({ Location: 'Location' });
/** Headers of responses with 401 or 5xx, which can occur before a handler runs and while the handler runs. */
export const faultHeaders = { ...limitHeaders, ...headerRefs({ 'Cache-Control': 'FaultNotStored' }) };
export const retryAfterHeaders = headerRefs({ 'Retry-After': 'RetryAfter' });
export const challengeHeaders = headerRefs({ 'WWW-Authenticate': 'Challenge' });
export const acceptEncodingHeaders = headerRefs({ 'Accept-Encoding': 'AcceptEncoding' });
