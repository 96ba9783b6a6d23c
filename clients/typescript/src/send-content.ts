/** Sends the content of a file as the request body, and reports the number of bytes sent so far to `onProgress`. */
export type SendContent = (
  request: Request,
  content: Blob,
  onProgress: (bytes: number) => void,
) => Promise<Response>;

/** Uses `XMLHttpRequest`, because `fetch` reports no upload progress. */
export const sendByXmlHttpRequest: SendContent = (request, content, onProgress) =>
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
