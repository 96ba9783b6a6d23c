import { Readable } from 'node:stream';
import type { IncomingMessage } from 'node:http';
import fc from 'fast-check';
import { readJson } from './json-body.js';
import { Problem } from './problems.js';

const MAX_VALUES = 20_000;

function read(text: string): Promise<unknown> {
  const payload = Object.assign(Readable.from([Buffer.from(text)]), {
    headers: { 'content-type': 'application/json' },
  });
  return readJson(payload as unknown as IncomingMessage);
}

const rejectionOf = (text: string) =>
  read(text).then(
    () => undefined,
    (error: unknown) => (error as Problem).code,
  );

/** So many values in all, the array included. */
const arrayOf = (values: number, first = '0') => `[${first}${',0'.repeat(values - 2)}]`;

describe('the limits of a body, before it is parsed', () => {
  it.each<[string, (values: number) => string]>([
    ['elements', arrayOf],
    ['elements with white space between them', (values) => `[ 0${' ,\n0'.repeat(values - 2)} ]`],
    ['properties', (values) => `{"a":0${',"a":0'.repeat(values - 2)}}`],
    ['arrays of one element', (values) => `[[0]${',[0]'.repeat(values / 2 - 2)},0]`],
    ['nested objects', (values) => `[${'{"a":'.repeat(60)}0${'}'.repeat(60)}${',0'.repeat(values - 62)}]`],
    ['strings', (values) => arrayOf(values).replaceAll('0', '""')],
  ])('20,000 values, counting %s', async (_, bodyOf) => {
    expect(await rejectionOf(bodyOf(MAX_VALUES))).toBeUndefined();
    expect(await rejectionOf(bodyOf(MAX_VALUES + 2))).toBe('body_too_many_values');
  });

  it('64 levels', async () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect(await rejectionOf(nested(64))).toBeUndefined();
    expect(await rejectionOf(nested(65))).toBe('body_too_deep');
    expect(await rejectionOf(`[${`${nested(63)},`.repeat(100)}0]`)).toBeUndefined();
  });

  it('do not take text for structure, wherever its quotes and backslashes are', () =>
    fc.assert(
      fc.asyncProperty(
        fc.string({ unit: fc.constantFrom('"', '\\', ',', '[', '{', ']', '}', 'a', 'é'), maxLength: 300 }),
        async (text) => {
          const first = JSON.stringify(text);
          expect(await rejectionOf(arrayOf(MAX_VALUES, first))).toBeUndefined();
          expect(await rejectionOf(arrayOf(MAX_VALUES + 1, first))).toBe('body_too_many_values');
        },
      ),
    ));

  it('leave what is no JSON to the parser', async () => {
    for (const text of ['"', '"\\', `"${'a'.repeat(200)}`, `"${'\\"'.repeat(100)}`, ']]]', '{"a"'])
      expect(await rejectionOf(text)).toBe('malformed_json');
  });
});
