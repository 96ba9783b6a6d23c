import { Form } from '../../src/entities.js';
import { type Draft, newDraft } from '../support/drafts.js';
import { useService } from '../support/service.js';

const use = useService();

const HOUR = 60 * 60 * 1000;

/** The dates now at UTC-12 (`last`), UTC and UTC+14 (`first`), a day before `last`, and a day after `first`. */
function datesNow() {
  const at = (hours: number) => new Date(Date.now() + hours * HOUR).toISOString().slice(0, 10);
  return { tooEarly: at(-12 - 24), last: at(-12), utc: at(0), first: at(14), tooLate: at(14 + 24) };
}

/** Repeats the work until no date changes while the work runs. */
async function withDates<T>(work: (dates: ReturnType<typeof datesNow>) => Promise<T>): Promise<T> {
  for (;;) {
    const dates = datesNow();
    const done = await work(dates);
    if (JSON.stringify(datesNow()) === JSON.stringify(dates)) return done;
  }
}

const setTo = ({ form }: Draft, timeZone: string | null) =>
  use.service.hearing(() => use.database.dataSource.manager.update(Form, { id: form.id }, { timeZone }));

async function errorsOf({ client, path }: Draft, day: string): Promise<Record<string, string[]>> {
  const values = ['from', 'until', 'on'].map((field_code) => ({ field_code, value: day }));
  expect((await client.post(`${path}/values`, { values })).status).toBe(200);
  return (await client.get(`${path}/validation`)).body.data.errors;
}

const PLAN = [
  {
    from: { type: 'date', rules: { min_date: 'today' } },
    until: { type: 'date', rules: { max_date: 'today' } },
    on: { type: 'date', rules: { min_date: 'today', max_date: 'today' } },
  },
];
const NONE = {};

describe('today in rules for dates (J2)', () => {
  it('is any current date on Earth if the form has no time zone', async () => {
    const draft = await newDraft(use, PLAN);
    await withDates(async ({ tooEarly, last, utc, first, tooLate }) => {
      for (const own of [last, utc, first]) expect(await errorsOf(draft, own)).toEqual(NONE);
      expect(await errorsOf(draft, tooEarly)).toEqual({
        from: [`The from must not be before ${last}.`],
        on: [`The on must not be before ${last}.`],
      });
      expect(await errorsOf(draft, tooLate)).toEqual({
        until: [`The until must not be after ${first}.`],
        on: [`The on must not be after ${first}.`],
      });
    });
  });

  it.each([
    ['Pacific/Kiritimati', 'first'],
    ['Etc/GMT+12', 'last'],
    ['UTC', 'utc'],
    ['utc', 'utc'],
  ] as const)(
    'is the date in the time zone of the form as soon as it has one: %s',
    async (timeZone, whose) => {
      const draft = await newDraft(use, PLAN);
      await setTo(draft, timeZone);
      await withDates(async (dates) => {
        const today = dates[whose];
        for (const day of Object.values(dates)) {
          const errors = await errorsOf(draft, day);
          expect(errors['from']).toEqual(day < today ? [`The from must not be before ${today}.`] : undefined);
          expect(errors['until']).toEqual(
            day > today ? [`The until must not be after ${today}.`] : undefined,
          );
          expect('on' in errors).toBe(day !== today);
        }
      });
      await setTo(draft, null);
      await withDates(async ({ last, first }) => {
        for (const own of [last, first]) expect(await errorsOf(draft, own)).toEqual(NONE);
      });
    },
  );

  it('is the same at completion, and offsets count from it', async () => {
    const steps = [{ day: { type: 'date', rules: { min_date: 'today+1d', max_date: 'today+1d' } } }];
    await withDates(async ({ last, utc, first, tooLate }) => {
      const draft = await newDraft(use, steps, { completion: 'strict', timeZone: 'Pacific/Kiritimati' });
      const complete = async (value: string) => {
        await draft.client.post(`${draft.path}/values`, { values: [{ field_code: 'day', value }] });
        return (await draft.client.patch(draft.path, { status: 'completed' })).status;
      };
      for (const day of [last, utc, first]) expect(await complete(day)).toBe(422);
      expect(await complete(tooLate)).toBe(200);
    });
  });

  it('depends on the time zone in the schema, whose change raises the version of the form once (F8)', async () => {
    const draft = await newDraft(use, PLAN, { timeZone: 'Europe/Berlin' });
    const schema = async () =>
      (await use.service.anyone.get(`/api/v1/forms/${draft.form.uuid}/schema`)).body.data;
    const before = await schema();
    expect(before.time_zone).toBe('Europe/Berlin');
    await setTo(draft, 'America/New_York');
    expect(await schema()).toEqual({
      ...before,
      version: Number(before.version) + 1,
      time_zone: 'America/New_York',
    });
    await setTo(draft, null);
    expect((await schema()).time_zone).toBeNull();
  });
});
