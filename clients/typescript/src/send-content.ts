// A chunk of its own, loaded only to upload a file.
import type { Answer, ClientOptions, FileWithUpload, UploadOptions } from './client.js';
import type { Connection } from './connection.js';
import { NetworkError } from './errors.js';

/** Sends the content of a file as the request body, and reports the number of bytes sent so far to `onProgress`. */
export type SendContent = (
  request: Request,
  content: Blob,
  onProgress: (bytes: number) => void,
) => Promise<Response>;

export interface ContentOfFile {
  /** UUID of the submission. */
  readonly uuid: string;
  readonly file: string | FileWithUpload;
  readonly content: Blob;
}

/** Uploads to the service, or to the external storage that `file` names, without the token. */
export function uploadContent(
  service: Connection,
  { fetch = (request) => globalThis.fetch(request), sendContent = defaultSendContent(fetch) }: ClientOptions,
  { uuid, file, content }: ContentOfFile,
  options: UploadOptions,
): Promise<Answer<object>> {
  const { onProgress = () => undefined, signal = null } = options;
  // `slice()` drops the type. Browsers would send it as Content-Type, which the signature of the URL does not cover.
  const bytes = content.slice();
  const read = () => Promise.resolve({});
  const send = (request: Request) => sendContent(request, bytes, onProgress);
  const name = typeof file === 'string' ? file : file.uuid;
  if (typeof file === 'string' || file.upload.url.endsWith(`/submissions/${uuid}/files/${name}/content`)) {
    const parameters = { path: { uuid, file: name }, content: bytes };
    const path = '/api/v1/submissions/{uuid}/files/{file}/content';
    return service.call('PUT', path, parameters, options, { read, send });
  }
  const { url, ...init } = file.upload;
  const request = new Request(url, { ...init, body: bytes, signal });
  return service.exchange<object>(request, options, { read, send }).catch((error: unknown) => {
    throw error instanceof NetworkError ? unreachableStorage(error, url) : error;
  });
}

/** Uses `XMLHttpRequest` if there is one, because `fetch` reports no upload progress. */
const defaultSendContent = (fetch: (request: Request) => Promise<Response>): SendContent =>
  'XMLHttpRequest' in globalThis
    ? sendByXmlHttpRequest
    : async (request, { size }, onProgress) => {
        const response = await fetch(request);
        onProgress(size);
        return response;
      };

/** Browsers hide from scripts whether the storage is down or CORS blocked the request. The service itself responded just before. */
const unreachableStorage = ({ cause }: NetworkError, url: string) =>
  new NetworkError(
    cause,
    `The service responds, but the file storage at ${new URL(url).origin} cannot be reached. If this persists, ` +
      'its CORS rules may not allow this origin.',
  );

const sendByXmlHttpRequest: SendContent = (request, content, onProgress) =>
  new Promise((resolve, reject) => {
    const { method, url, headers, signal } = request;
    if (signal.aborted) {
      reject(signal.reason as Error);
      return;
    }
    const sending = new XMLHttpRequest();
    sending.open(method, url);
    headers.forEach((value, name) => sending.setRequestHeader(name, value));
    sending.upload.onprogress = ({ loaded }) => onProgress(loaded);
    sending.onload = () => resolve(responseOf(sending));
    sending.onerror = reject;
    // Each request has a signal of its own, so that no other listener is overwritten.
    signal.onabort = () => {
      sending.abort();
      reject(signal.reason as Error);
    };
    sending.send(content);
  });

function responseOf(sent: XMLHttpRequest): Response {
  const headers = new Headers();
  for (const [, name = '', value = ''] of sent.getAllResponseHeaders().matchAll(/^(.+?): (.*)$/gm))
    headers.append(name, value);
  return new Response(sent.status === 204 ? null : sent.responseText, { status: sent.status, headers });
}
