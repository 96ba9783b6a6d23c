import { isTimeZone, todayIn } from './today.js';

const at = (timeZone: string | null, moment: string) => todayIn(timeZone, Date.parse(moment));

describe('J2: today in a time zone', () => {
  it.each([
    // Summer time ends on 25 October at 01:00 UTC. Days begin at 22:00 UTC in summer time, and
    // at 23:00 UTC in winter time.
    ['Europe/Berlin', '2026-10-24T21:59:59.999Z', '2026-10-24'],
    ['Europe/Berlin', '2026-10-24T22:00:00.000Z', '2026-10-25'],
    ['Europe/Berlin', '2026-10-25T22:59:59.999Z', '2026-10-25'],
    ['Europe/Berlin', '2026-10-25T23:00:00.000Z', '2026-10-26'],
    // Summer time begins at midnight, so 26 April has no 00:00.
    ['Africa/Cairo', '2024-04-25T21:59:59.999Z', '2024-04-25'],
    ['Africa/Cairo', '2024-04-25T22:00:00.000Z', '2024-04-26'],
    // The offset of this time zone is 5 hours and 45 minutes.
    ['Asia/Kathmandu', '2026-11-22T18:14:59.999Z', '2026-11-22'],
    ['Asia/Kathmandu', '2026-11-22T18:15:00.000Z', '2026-11-23'],
    // A day begins first in Kiritimati, and last in Etc/GMT+12.
    ['Pacific/Kiritimati', '2026-11-22T09:59:59.999Z', '2026-11-22'],
    ['Pacific/Kiritimati', '2026-11-22T10:00:00.000Z', '2026-11-23'],
    ['Etc/GMT+12', '2026-11-22T11:59:59.999Z', '2026-11-21'],
    ['Etc/GMT+12', '2026-11-22T12:00:00.000Z', '2026-11-22'],
    // Samoa moved across the date line and skipped 30 December.
    ['Pacific/Apia', '2011-12-30T09:59:59.999Z', '2011-12-29'],
    ['Pacific/Apia', '2011-12-30T10:00:00.000Z', '2011-12-31'],
    ['America/New_York', '2027-01-01T04:59:59.999Z', '2026-12-31'],
    ['UTC', '2028-02-29T23:59:59.999Z', '2028-02-29'],
    ['utc', '2028-03-01T00:00:00.000Z', '2028-03-01'],
  ])('%s at %s is %s', (timeZone, moment, day) => {
    expect(at(timeZone, moment)).toEqual({ earliest: day, latest: day, single: day });
  });
});

describe('J2: without a known time zone, every date that is current somewhere on Earth counts as today, and computed values use the date in UTC', () => {
  it.each([
    ['2026-11-22T00:44:00.000Z', '2026-11-21', '2026-11-22'],
    ['2026-11-22T09:59:59.999Z', '2026-11-21', '2026-11-22'],
    // For two hours a day, three dates are current, because time zones range from UTC-12 to UTC+14.
    ['2026-11-22T10:00:00.000Z', '2026-11-21', '2026-11-23'],
    ['2026-11-22T11:59:59.999Z', '2026-11-21', '2026-11-23'],
    ['2026-11-22T12:00:00.000Z', '2026-11-22', '2026-11-23'],
    ['2026-12-31T23:00:00.000Z', '2026-12-31', '2027-01-01'],
  ])('%s: %s to %s', (moment, earliest, latest) => {
    const single = moment.slice(0, 'YYYY-MM-DD'.length);
    expect(at(null, moment)).toEqual({ earliest, latest, single });
  });

  it.each(['Europe/Atlantis', '+01:00', ''])('applies to %j, which is not a time zone', (name) => {
    expect(at(name, '2026-11-22T00:44:00.000Z')).toEqual({
      ...{ earliest: '2026-11-21', latest: '2026-11-22', single: '2026-11-22' },
    });
  });

  it('includes the current date of every time zone', () => {
    for (const moment of ['2026-11-22T00:00:00Z', '2026-11-22T10:30:00Z', '2026-11-22T12:00:00Z']) {
      const { earliest, latest } = at(null, moment);
      const days = Intl.supportedValuesOf('timeZone').map((zone) => at(zone, moment).earliest);
      expect(days.length).toBeGreaterThan(300);
      expect(days.filter((day) => day < earliest || day > latest)).toEqual([]);
    }
  });
});

it('isTimeZone() accepts names of the IANA time zone database, and rejects offsets', () => {
  for (const name of ['Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+12', 'UTC', 'Europe/Kyiv'])
    expect([name, isTimeZone(name)]).toEqual([name, true]);
  for (const name of ['', 'Berlin', 'Europe/Berlin ', 'Europe/Atlantis', '+01:00', '-03', 'UTC+1'])
    expect([name, isTimeZone(name)]).toEqual([name, false]);
});
