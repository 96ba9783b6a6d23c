import { Form } from '../../src/entities.js';
import { complete, store } from '../support/draft-requests.js';
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

async function errorsOf(draft: Draft, day: string): Promise<Record<string, string[]>> {
  await store(draft, { from: day, until: day, on: day });
  return (await draft.client.get(`${draft.path}/validation`)).body.data.errors;
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

  it('is the date in the time zone of the form, which is in the schema, as soon as it has one', async () => {
    const draft = await newDraft(use, PLAN);
    for (const [timeZone, whose] of [
      ['Pacific/Kiritimati', 'first'],
      ['utc', 'utc'],
    ] as const) {
      await setTo(draft, timeZone);
      const { body } = await use.service.anyone.get(`/api/v1/forms/${draft.form.uuid}/schema`);
      expect(body.data.time_zone).toBe(timeZone);
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
    }
    await setTo(draft, null);
    await withDates(async ({ last, first }) => {
      for (const own of [last, first]) expect(await errorsOf(draft, own)).toEqual(NONE);
    });
  });

  it('is the same at completion, and offsets count from it', async () => {
    const steps = [{ day: { type: 'date', rules: { min_date: 'today+1d', max_date: 'today+1d' } } }];
    await withDates(async ({ last, utc, first, tooLate }) => {
      const draft = await newDraft(use, steps, { completion: 'strict', timeZone: 'Pacific/Kiritimati' });
      const completeWith = async (value: string) => {
        await store(draft, { day: value });
        return (await complete(draft)).status;
      };
      for (const day of [last, utc, first]) expect(await completeWith(day)).toBe(422);
      expect(await completeWith(tooLate)).toBe(200);
    });
  });
});
