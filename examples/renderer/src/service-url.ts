/** Base URL of the service, without `/api/v1`: `?api=`, or else the build's VITE_FORMTRAIL_URL, or else the page's origin. */
export const serviceUrl = (
  httpUrl(new URLSearchParams(location.search).get('api')) ??
  httpUrl(import.meta.env.VITE_FORMTRAIL_URL) ??
  location.origin
).replace(/\/+$/, '');

function httpUrl(url: unknown): string | undefined {
  return typeof url === 'string' && /^https?:\/\//.test(url) ? url : undefined;
}
