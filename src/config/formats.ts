import { isIP } from 'node:net';

export function isPostgresUrl(text: string): boolean {
  return URL.canParse(text) && /^postgres(ql)?:$/.test(new URL(text).protocol);
}

/** With a number for a path, if any: that of the logical database. */
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

/** Base64 of 32 bytes. */
export function isWebhookKey(text: string): boolean {
  return /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/.test(text);
}

/** A block of every address there is would trust whatever anybody sends. */
export function isAddressOrBlock(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

/** `*`, or an origin in any letter case. */
export function isOriginOrAny(text: string): boolean {
  const origin = text.toLowerCase();
  return (
    origin === '*' || (URL.canParse(origin) && new URL(origin).origin === origin && !origin.includes('*'))
  );
}

/** Of something other than the root, and as files can be called. */
function isPath(pathname: string): boolean {
  return !/^\/*$/.test(pathname) && isDecodable(pathname) && !/%(00|2f)/i.test(pathname);
}

/** A folder of this machine, by its whole path, or a bucket with or without a prefix. */
export function isFilesUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, host, pathname, search, hash, username } = new URL(text);
  if (search + hash + username !== '' || !isDecodable(pathname)) return false;
  // What is no whole path would be taken for one.
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

export interface UserStorage {
  readonly files: number;
  readonly values: number;
}

export function isUserStorage(text: string): boolean {
  return /^\d{1,7},\d{1,7}$/.test(text);
}

/** In bytes. */
export function userStorageOf(text: string): UserStorage {
  const [files = 0, values = 0] = text.split(',').map((mebibytes) => Number(mebibytes) * 2 ** 20);
  return { files, values };
}
