import { isDecodable } from '../../config/formats.js';

/** Whether a URL path can name a file or folder other than the root. */
function isPath(pathname: string): boolean {
  return !/^\/*$/.test(pathname) && isDecodable(pathname) && !/%(00|2f)/i.test(pathname);
}

/** Accepts the URL of a local folder with its absolute path, or of an S3 bucket with an optional prefix. */
export function isFilesUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, host, pathname, search, hash, username } = new URL(text);
  if (search + hash + username !== '' || !isDecodable(pathname)) return false;
  // The URL class turns a relative path such as `file:files` into an absolute path.
  if (protocol === 'file:') return host === '' && /^file:\//i.test(text) && isPath(pathname);
  return protocol === 's3:' && /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(host);
}

export function isClamdUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, port, pathname, search, hash, username } = new URL(text);
  if (search + hash + username !== '') return false;
  if (protocol === 'unix:') return hostname === '' && isPath(pathname);
  return protocol === 'tcp:' && hostname !== '' && port !== '' && port !== '0' && pathname === '';
}
