/** Declares the browser APIs that the clients use and Node.js lacks. Builds of the clients use the whole DOM library. */
declare class XMLHttpRequest {
  readonly upload: { onprogress: ((event: { readonly loaded: number }) => void) | null };
  readonly status: number;
  readonly responseText: string;
  onload: (() => void) | null;
  onerror: ((event: unknown) => void) | null;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getAllResponseHeaders(): string;
  send(body: Blob): void;
  abort(): void;
}

declare class Worker {
  onmessage: ((event: { readonly data: any }) => void) | null;
  onerror: ((event: { readonly message: string }) => void) | null;
  constructor(url: URL, options: { readonly type: 'module' });
  postMessage(message: unknown): void;
  terminate(): void;
}
