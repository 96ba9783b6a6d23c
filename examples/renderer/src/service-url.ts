/** Where the service is, without `/api/v1`: `?api=`, or what the page was built with, or where the page came from. */
export const serviceUrl = (
  asked(new URLSearchParams(location.search).get('api')) ??
  asked(import.meta.env.VITE_FORMTRAIL_URL) ??
  location.origin
).replace(/\/+$/, '');

function asked(url: unknown): string | undefined {
  return typeof url === 'string' && /^https?:\/\//.test(url) ? url : undefined;
}
