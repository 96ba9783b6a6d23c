import fc from 'fast-check';
import { readCursor, writeCursor } from './list-cursor.js';

const UUID = '01a1fd9a-9a4b-7c31-9b5d-2f8e41c07a66';
const CREATED_AT = '2026-11-21T10:15:30.123456Z';
const encoded = (text: string) => Buffer.from(text).toString('base64url');

it('readCursor() returns the position that writeCursor() has written', () => {
  const dates = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
  fc.assert(
    fc.property(dates, fc.nat(999), fc.uuid(), (date, micros, uuid) => {
      const createdAt = `${date.toISOString().slice(0, -1)}${String(micros).padStart(3, '0')}Z`;
      expect(readCursor(writeCursor({ createdAt, uuid }))).toEqual({ createdAt, uuid });
    }),
  );
});

it.each([
  ['nothing', ''],
  ['text', 'abc'],
  ['a character outside Base64', '%'],
  ['padding', `${encoded(`${CREATED_AT} ${UUID}`)}=`],
  ['half a cursor', encoded(`${CREATED_AT} ${UUID}`).slice(0, 40)],
  ['a UUID without a time', encoded(UUID)],
  ['a time without a UUID', encoded(CREATED_AT)],
  ['a day that does not exist', encoded(`2026-02-30T10:15:30.123456Z ${UUID}`)],
  ['an hour that does not exist', encoded(`2026-02-03T25:15:30.123456Z ${UUID}`)],
  ['midnight at the end of a day', encoded(`2026-02-03T24:00:00.000000Z ${UUID}`)],
  ['a leap second', encoded(`2026-12-31T23:59:60.000000Z ${UUID}`)],
  ['a year that PostgreSQL does not have', encoded(`0000-01-01T00:00:00.000000Z ${UUID}`)],
  ['infinity', encoded(`infinity ${UUID}`)],
  ['a trailing line break', encoded(`${CREATED_AT} ${UUID}\n`)],
])('readCursor() returns undefined for %s', (_what, cursor) => {
  expect(readCursor(cursor)).toBeUndefined();
});
