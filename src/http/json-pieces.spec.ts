import fc from 'fast-check';
import { CacheableBody } from './headers/cacheable-body.js';
import { jsonPieces, textPieces } from './json-pieces.js';

describe('jsonPieces()', () => {
  it('yields what JSON.stringify returns, for any value and depth', () => {
    const values = fc.oneof(fc.object(), fc.array(fc.jsonValue()));
    fc.assert(
      fc.property(values, fc.nat(4), (value, depth) => {
        expect([...jsonPieces(value, depth)].join('')).toBe(JSON.stringify(value));
      }),
      { numRuns: 200 },
    );
  });

  it('divides a large value, and a long list in it, into pieces of bounded length', () => {
    const options = Array.from({ length: 50_000 }, (_, at) => ({
      label: `Option ${at} \u{1f642}`,
      value: String(at),
    }));
    const value = { data: { fields: [{ options }, { options: [] }] } };
    const pieces = [...jsonPieces(value, 3)];
    expect(pieces.join('')).toBe(JSON.stringify(value));
    expect(pieces.length).toBeGreaterThan(5);
    for (const piece of pieces) expect(piece.length).toBeLessThan(300_000);
  });

  it('gives a body the bytes and the ETag that the whole value gives it', () => {
    const value = { data: 'é\u{1f642}'.repeat(300_000), more: ['x'.repeat(400_000), 1] };
    const making = CacheableBody.ofPieces(jsonPieces(value, 2), true);
    let part = making.next();
    while (part.done !== true) part = making.next();
    const whole = new CacheableBody(value, true);
    expect(part.value.identity.bytes.equals(whole.identity.bytes)).toBe(true);
    expect(part.value.identity.etag).toBe(whole.identity.etag);
  });
});

describe('textPieces()', () => {
  it('divides a text, and no surrogate pair', () => {
    expect([...textPieces('')]).toEqual([]);
    for (const before of ['', 'x']) {
      const text = before + '\u{1f642}'.repeat(300_000);
      const pieces = [...textPieces(text)];
      expect(pieces.length).toBeGreaterThan(2);
      expect(pieces.join('')).toBe(text);
      expect(pieces.filter((piece) => !piece.isWellFormed())).toEqual([]);
    }
  });
});
