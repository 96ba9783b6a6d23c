import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** Minimum size in bytes of a body to compress. Clients would not notice the compression of smaller bodies. */
const WORTH_COMPRESSING = 1024;

/** The supported codings and their compressors, the best compression first. */
const CODINGS = {
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes),
};

export type Coding = keyof typeof CODINGS;

/** Headers that belong to a body, such as its language. */
export type HeadersOfBody = Readonly<Record<string, string>>;

/** The bytes of a body in one coding or uncompressed, and their strong validator (RFC 9110, section 8.8.1). */
export interface Representation {
  readonly bytes: Buffer;
  readonly etag: string;
}

/** A serialised response body that clients may cache (F10). */
export class CacheableBody {
  readonly identity: Representation;
  readonly isCompressed: boolean;
  private readonly compressed = new Map<Coding, Representation | Promise<Representation>>();
  private readonly tag: string;

  /** `isReused` means that the body is sent more than once, so compression is worthwhile. */
  constructor(
    body: object | Buffer,
    isReused: boolean,
    readonly headers: HeadersOfBody = {},
    hash?: Buffer,
  ) {
    const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
    this.tag = (hash ?? createHash('sha256').update(bytes).digest()).toString('base64url').slice(0, 27);
    this.isCompressed = isReused && bytes.length >= WORTH_COMPRESSING;
    this.identity = { bytes, etag: this.etagIn(undefined) };
  }

  /** Makes the body from pieces of its text, and yields after each. No piece may end inside of a surrogate pair. */
  static *ofPieces(
    pieces: Iterable<string>,
    isReused: boolean,
    headers: HeadersOfBody = {},
  ): Generator<undefined, CacheableBody> {
    const hash = createHash('sha256');
    const chunks: Buffer[] = [];
    for (const piece of pieces) {
      const chunk = Buffer.from(piece);
      hash.update(chunk);
      chunks.push(chunk);
      yield;
    }
    return new CacheableBody(Buffer.concat(chunks), isReused, headers, hash.digest());
  }

  /**
   * Returns the representation in this coding, or a promise while the bytes are being compressed. Each coding is
   * compressed only once.
   */
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

  /** Whether an ETag belongs to this content, in any coding. */
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

/** Returns the best coding that an `Accept-Encoding` header allows (RFC 9110, section 12.5.3), or undefined if it allows none. */
export function acceptedCoding(header: string | undefined): Coding | undefined {
  if (header === undefined) return undefined;
  const rejected = new Set<string>();
  const accepted = new Set<string>();
  for (const item of header.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = item.split(';').map((part) => part.trim());
    (parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)) ? rejected : accepted).add(coding);
  }
  const codings = Object.keys(CODINGS) as Coding[];
  return codings.find((coding) => accepted.has(coding) || (accepted.has('*') && !rejected.has(coding)));
}
