import { isoOf, microsecondsOf } from './iso-timestamp.js';

it.each([
  ['0', '1970-01-01T00:00:00.000000Z'],
  ['1', '1970-01-01T00:00:00.000001Z'],
  ['-1', '1969-12-31T23:59:59.999999Z'],
  ['-1000', '1969-12-31T23:59:59.999000Z'],
  ['1795377127301562', '2026-11-22T19:52:07.301562Z'],
  ['9007199254740991', '2255-06-05T23:47:34.740991Z'],
])('%s microseconds are %s, and back', (microseconds, iso) => {
  expect(isoOf(microseconds)).toBe(iso);
  expect(microsecondsOf(iso)).toBe(microseconds);
});

it.each([
  '',
  'other',
  '*',
  '2026-11-22T19:52:07.301562',
  '2026-11-22T19:52:07.301Z',
  '2026-11-22T19:52:07.3015620Z',
  '2026-11-22 19:52:07.301562Z',
  '2026-02-30T19:52:07.301562Z',
  '2026-11-22T24:00:00.000000Z',
  '2026-11-22T19:52:07.301 62Z',
  '2026-11-22T19:52:07.301-62Z',
  '2026-11-22T19:52:07.301562+',
  '+012026-11-22T19:52:07.301562Z',
])('%p is no moment as the service writes it', (text) => {
  expect(microsecondsOf(text)).toBeUndefined();
});
