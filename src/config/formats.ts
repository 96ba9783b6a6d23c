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

export function isDecodable(text: string): boolean {
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

/** The texts that {@link isKey} accepts. */
export const KEY = '32 random bytes in base64, as "openssl rand -base64 32" prints them';

/** Whether the text is a key: 32 bytes in base64. */
export const isKey = (text: string): boolean => /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/.test(text);

/** Rejects a block of all addresses (`/0`), which would make a list of trusted or allowed addresses useless. */
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
