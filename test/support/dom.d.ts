/** What the clients use of browsers and Node.js has not, so that tests can take their sources; they are compiled with all of it. */
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
