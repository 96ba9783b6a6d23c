import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** Below this many bytes, compression saves nothing that a client would notice. */
const WORTH_COMPRESSING = 1024;

/** The codings that are offered, the smallest first, each with what makes it. */
const CODINGS = {
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes),
};

export type Coding = keyof typeof CODINGS;

/** The bytes of an answer in one coding, or none, and their strong validator (RFC 9110, section 8.8.1). */
export interface Representation {
  readonly bytes: Buffer;
  readonly etag: string;
}

/** A serialised answer that clients may keep (F10). */
export class CacheableBody {
  readonly identity: Representation;
  readonly isCompressed: boolean;
  private readonly compressed = new Map<Coding, Representation | Promise<Representation>>();
  private readonly tag: string;

  /** `body` is an object, or its JSON. `isKept` tells whether it is sent more often than once, so that it is worth while to compress it. */
  constructor(body: object | string, isKept: boolean) {
    const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
    this.tag = hash('sha256', bytes, 'base64url').slice(0, 27);
    this.isCompressed = isKept && bytes.length >= WORTH_COMPRESSING;
    this.identity = { bytes, etag: this.etagIn(undefined) };
  }

  /** For a client that accepts this; a promise only for the first of them. */
  in(coding: Coding): Representation | Promise<Representation> {
    let representation = this.compressed.get(coding);
    if (representation === undefined) {
      representation = this.compress(coding);
      this.compressed.set(coding, representation);
    }
    return representation;
  }

  etagIn(coding: Coding | undefined): string {
    return coding === undefined ? `"${this.tag}"` : `"${this.tag}-${coding}"`;
  }

  /** Whether this validator is of the same content, in whatever coding. */
  isNamedBy(etag: string): boolean {
    return etag === this.identity.etag || etag.replace(/-(br|gzip)"$/, '"') === this.identity.etag;
  }

  private async compress(coding: Coding): Promise<Representation> {
    const bytes = await CODINGS[coding](this.identity.bytes);
    const representation = { bytes, etag: this.etagIn(coding) };
    this.compressed.set(coding, representation);
    return representation;
  }
}

/** The best coding that an `Accept-Encoding` header allows (RFC 9110, section 12.5.3), or undefined for none. */
export function acceptedCoding(header: string | undefined): Coding | undefined {
  if (header === undefined) return undefined;
  const refused = new Set<string>();
  const accepted = new Set<string>();
  for (const item of header.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = item.split(';').map((part) => part.trim());
    (parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)) ? refused : accepted).add(coding);
  }
  const codings = Object.keys(CODINGS) as Coding[];
  return codings.find((coding) => accepted.has(coding) || (accepted.has('*') && !refused.has(coding)));
}
