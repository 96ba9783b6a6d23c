import { addDays, dayOf, daysBetween, isDate, monthsBetween, yearsBetween } from './dates.js';

// Most dates come from our own versions of the cases in the public test suite of JSON Schema.
it.each([
  ...['1963-06-19', '2020-01-31', '2021-02-28', '2020-02-29', '2020-03-31', '2020-04-30', '2020-05-31'],
  ...['2020-06-30', '2020-12-31', '2000-02-29', '0099-12-31'],
])('isDate() accepts %s', (text) => {
  expect(isDate(text)).toBe(true);
});

it.each([
  ...['2020-01-32', '2021-02-29', '2020-02-30', '2020-03-32', '2020-04-31', '2020-05-32', '2020-06-31'],
  ...['2020-07-32', '2020-08-32', '2020-09-31', '2020-10-32', '2020-11-31', '2020-12-32', '2020-13-01'],
  ...['2020-00-10', '2026-01-00', '1900-02-29', '06/19/1963', '2013-350', '1998-1-20', '1998-01-1'],
  ...['20230328', '2023-W01', '2023-W13-2', '2022W527', '1963-06-1৪', '', '2026-11-21T10:00:00Z'],
  ...['+002026-11-21', '21.11.2026', '2026-11- 21', '٢٠٢٦-١١-٢١', '2026-11-21\n'],
])('isDate() rejects %j', (text) => {
  expect(isDate(text)).toBe(false);
});

it.each([
  ['2030-12-31', '2030-12-31'],
  ['today', '2024-02-29'],
  ['today+30d', '2024-03-30'],
  ['today-60d', '2023-12-31'],
  ['today+6m', '2024-08-29'],
  ['today-18y', '2006-02-28'],
  ['today+4y', '2028-02-29'],
  ['today+12m', '2025-02-28'],
  ['today-2024y', undefined],
  ['today-2023y', '0001-02-28'],
  ['today+7975y', '9999-02-28'],
  ['today+7976y', undefined],
  ['today+99999d', '2297-12-13'],
  ['today-99999m', undefined],
  ['today+1w', undefined],
  ['today +1d', undefined],
  ['2030-02-30', undefined],
  ['', undefined],
])('dayOf(%j) on 2024-02-29 is %j (J11)', (bound, expected) => {
  expect(dayOf(bound, '2024-02-29')).toBe(expected);
});

it.each([
  ['2024-01-31', 'today+1m', '2024-02-29'],
  ['2023-01-31', 'today+1m', '2023-02-28'],
  ['2023-03-31', 'today-1m', '2023-02-28'],
  ['2023-12-31', 'today+2m', '2024-02-29'],
  ['2023-01-15', 'today-1m', '2022-12-15'],
])('on %s, %s is %s', (today, bound, expected) => {
  expect(dayOf(bound, today)).toBe(expected);
});

it('addDays() returns undefined beyond the years 1 to 9999, and for what is no date', () => {
  expect(addDays('9999-12-30', 1)).toBe('9999-12-31');
  expect(addDays('9999-12-31', 1)).toBeUndefined();
  expect(addDays('0001-01-01', -1)).toBeUndefined();
  expect(addDays('9999-12-31', 99_999)).toBeUndefined();
  expect(addDays('soon', 1)).toBeUndefined();
});

it.each([
  ['2024-01-01', '2024-12-31', 365, 11, 0],
  ['2024-01-31', '2024-02-29', 29, 0, 0],
  ['2024-01-29', '2024-02-29', 31, 1, 0],
  ['2004-02-29', '2022-02-28', 6574, 215, 17],
  ['2004-02-29', '2022-03-01', 6575, 216, 18],
  ['2022-03-01', '2004-02-29', -6575, -216, -18],
  ['2024-05-05', '2024-05-05', 0, 0, 0],
  ['2024-05-05', '2024-05-04', -1, 0, 0],
  ['0001-01-01', '9999-12-31', 3_652_058, 119_987, 9998],
])('from %s to %s: %s days, %s whole months, %s whole years (K1)', (first, second, days, months, years) => {
  expect([daysBetween(first, second), monthsBetween(first, second), yearsBetween(first, second)]).toEqual([
    ...[days, months, years],
  ]);
});

it('a person is 18 exactly if the birth is not after today-18y', () => {
  for (const today of ['2024-02-29', '2023-02-28', '2023-03-01', '2022-12-31'])
    for (let days = -400; days <= 400; days += 1) {
      const birth = addDays(dayOf('today-18y', today) ?? '', days) ?? '';
      expect([birth, yearsBetween(birth, today) >= 18]).toEqual([birth, days <= 0]);
    }
});
