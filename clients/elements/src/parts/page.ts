// Attributes that tie the element to its page. The console says which ones are ignored, and why.
import type { Prefill } from 'formtrail-session';

/** `url`, for the query of the page's address, or a JSON object of values by the code of the field. */
export function prefillOf(attribute: string | null): Prefill | undefined {
  if (attribute === null) return undefined;
  if (attribute === 'url') return new URLSearchParams(location.search);
  try {
    const given: unknown = JSON.parse(attribute);
    if (typeof given === 'object' && given !== null) return given as Prefill;
  } catch {
    // Not JSON.
  }
  ignore('prefill', 'neither "url" nor a JSON object');
  return undefined;
}

/** The address to which the browser goes after completion. */
export function completedUrlOf(attribute: string | null): string | undefined {
  if (attribute === null) return undefined;
  const url = urlOf(attribute);
  if (url === undefined) ignore('completed-url', 'not an address of http or https');
  return url?.href;
}

/**
 * Sends the height of the page to the page that has it in an iframe, and again after each change. Only a page of this origin gets it. The
 * message has no answers. Returns a function that stops it.
 */
export function sendHeight(attribute: string): () => void {
  const origin = urlOf(attribute)?.origin;
  if (origin !== attribute) ignore('height-origin', 'not an origin such as https://example.org');
  if (origin !== attribute || parent === window) return () => undefined;
  let sent: number | undefined;
  const observer = new ResizeObserver(([entry]) => {
    // Not scrollHeight, which is never less than the height of the iframe.
    const height = Math.ceil(entry?.target.getBoundingClientRect().height ?? 0);
    if (height !== sent) parent.postMessage({ type: 'formtrail-height', height }, origin);
    sent = height;
  });
  observer.observe(document.documentElement);
  return () => observer.disconnect();
}

function urlOf(text: string): URL | undefined {
  if (!URL.canParse(text, document.baseURI)) return undefined;
  const url = new URL(text, document.baseURI);
  return /^https?:$/.test(url.protocol) ? url : undefined;
}

function ignore(name: string, reason: string): void {
  console.warn(`formtrail: The attribute ${name} is ignored: it is ${reason}.`);
}
