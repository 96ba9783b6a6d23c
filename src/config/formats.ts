import { isIP } from 'node:net';

export function isPostgresUrl(text: string): boolean {
  return URL.canParse(text) && /^postgres(ql)?:$/.test(new URL(text).protocol);
}

/** The optional path of the URL is the number of a logical database in Redis. */
export function isRedisUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, pathname, search, hash, username, password } = new URL(text);
  return (
    /^rediss?:$/.test(protocol) &&
    hostname !== '' &&
    /^\/?\d{0,9}$/.test(pathname) &&
    search + hash === '' &&
    isDecodable(username + password)
  );
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

export function isPlainHttpUrl(text: string): boolean {
  return /^https?:\/\/[^\s/\\?#@]+(\/[^\s\\?#]*)?$/i.test(text) && URL.canParse(text);
}

/** Whether the text is a key: 32 bytes in base64. */
export const isKey = (text: string): boolean => /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/.test(text);

/** Rejects a block of all addresses (`/0`). It would make TRUST_PROXY trust every client, and allow webhooks to every address. */
export function isAddressOrBlock(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

/** Accepts `*`, or an origin in any letter case. */
export function isOriginOrAny(text: string): boolean {
  const origin = text.toLowerCase();
  return (
    origin === '*' || (URL.canParse(origin) && new URL(origin).origin === origin && !origin.includes('*'))
  );
}

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

export interface StorageLimits {
  readonly files: number;
  readonly values: number;
}

export const isUserStorage = (text: string): boolean => /^\d{1,7},\d{1,7}$/.test(text);

/** Converts the numbers in the text from MiB to bytes. */
export function userStorageOf(text: string): StorageLimits {
  const [files = 0, values = 0] = text.split(',').map((mebibytes) => Number(mebibytes) * 2 ** 20);
  return { files, values };
}
