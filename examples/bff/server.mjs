// Keeps the token of a respondent in a cookie that scripts cannot read, and forwards the API of Formtrail.
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const service = new URL(process.env.FORMTRAIL_URL ?? 'http://127.0.0.1:3000').origin;
/** Origin of the page, as the browser shows it. */
const origin = new URL(process.env.ORIGIN ?? 'http://127.0.0.1:8080');
const isSecure = origin.protocol === 'https:';
if (!isSecure && !['127.0.0.1', 'localhost', '[::1]'].includes(origin.hostname))
  throw new Error(`ORIGIN is "${origin.origin}"; it has to begin with https://, except on the loopback.`);

const COOKIE = isSecure ? '__Secure-formtrail' : 'formtrail';
const ATTRIBUTES = `HttpOnly; SameSite=Strict; Path=/api/v1${isSecure ? '; Secure' : ''}`;
/** Bytes: all files of a respondent have at most 25 MiB. */
const MAX_BODY = 25 * 1024 * 1024;
const UUID = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}';
/** Everything else is 404. */
const ROUTES = [
  `GET /forms(/${UUID}(/schema|/conditions|/challenge)?|/[a-z0-9-]+/by-slug)?`,
  `POST /(respondents|resume|resume-codes)`,
  `DELETE /respondents/me`,
  `(GET|POST) /submissions(/${UUID}/(records|files))?`,
  `(GET|PATCH|DELETE) /submissions/${UUID}`,
  `GET /submissions/${UUID}/(conditions|validation)`,
  `POST /submissions/${UUID}/(values|advance|retreat)`,
  `DELETE /submissions/${UUID}/records/\\d+`,
  `(GET|DELETE) /submissions/${UUID}/files/${UUID}`,
  `POST /submissions/${UUID}/files/${UUID}/commit`,
  `(GET|PUT) /submissions/${UUID}/files/${UUID}/content`,
].map((route) => new RegExp(`^${route.replace(' /', ' /api/v1/')}$`));
const SENT =
  /^(accept|accept-language|content-type|content-length|if-match|if-none-match|idempotency-key|range)$/;
const RETURNED =
  /^(cache-control|content-(disposition|language|length|range|security-policy|type)|accept-ranges|etag|last-modified|link|location|retry-after|x-content-type-options|x-ratelimit-.*|x-request-id)$/;

const server = createServer((request, response) => {
  forward(request, response).catch(() => {
    if (response.headersSent) response.destroy();
    else reply(response, 502, 'The service cannot be reached.');
  });
});

async function forward(request, response) {
  const { method, url, headers } = request;
  const route = `${method} ${url.split('?')[0]}`;
  if (!ROUTES.some((allowed) => allowed.test(route))) return reply(response, 404, 'Not found.');
  if (method !== 'GET' && !isFromPage(headers)) return reply(response, 403, 'Only the page may do this.');
  // The parser of Node.js reads no more than the announced length.
  if (headers['transfer-encoding'] !== undefined) return reply(response, 411, 'Send a Content-Length.');
  const length = Number(headers['content-length'] ?? 0);
  if (length > MAX_BODY) return reply(response, 413, 'The body is too large.');

  const token = tokenIn(headers.cookie);
  const closed = new AbortController();
  response.once('close', () => closed.abort());
  const answer = await fetch(service + url, {
    method,
    headers: {
      ...Object.fromEntries(Object.entries(headers).filter(([name]) => SENT.test(name))),
      'accept-encoding': 'identity',
      'x-forwarded-for': request.socket.remoteAddress,
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    ...(length > 0 && method !== 'GET' && { body: Readable.toWeb(request), duplex: 'half' }),
    redirect: 'manual',
    signal: closed.signal,
  });

  if (answer.status === 201 && /^POST \/api\/v1\/(respondents|resume)$/.test(route)) {
    const { data } = await answer.json();
    response.setHeader('Set-Cookie', `${COOKIE}=${data.token}; ${ATTRIBUTES}`);
    return response.writeHead(204, { 'Cache-Control': 'no-store' }).end();
  }
  // Keep the cookie after a temporary error, so that the page can repeat the request.
  if (route === 'DELETE /api/v1/respondents/me' && [204, 401].includes(answer.status))
    response.setHeader('Set-Cookie', `${COOKIE}=; ${ATTRIBUTES}; Max-Age=0`);
  response.writeHead(
    answer.status,
    Object.fromEntries([...answer.headers].filter(([name]) => RETURNED.test(name))),
  );
  if (answer.body === null) return response.end();
  return pipeline(Readable.fromWeb(answer.body), response);
}

/** All browsers send one of these headers with an unsafe method. */
function isFromPage({ origin: sender, 'sec-fetch-site': site }) {
  if (sender !== undefined && sender !== origin.origin) return false;
  return site === undefined ? sender !== undefined : site === 'same-origin';
}

function tokenIn(cookies = '') {
  const own = cookies.split('; ').find((cookie) => cookie.startsWith(`${COOKIE}=ftr_`));
  return own?.slice(COOKIE.length + 1);
}

function reply(response, status, message) {
  // The body has not been read, so the connection cannot be used again.
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    Connection: 'close',
  });
  response.end(JSON.stringify({ message }));
}

server.listen(Number(process.env.PORT ?? 8080), '127.0.0.1', () =>
  process.stdout.write(`http://127.0.0.1:${server.address().port}\n`),
);
