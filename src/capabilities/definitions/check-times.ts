import { quote, type Report } from './definition-error.js';
import type { FormDefinition } from './form-definition.js';

type Times = Pick<FormDefinition, 'opens_at' | 'closes_at'>;

/** Returns the times of the form as responses write them. Reports a time that does not exist, and an end that is not after its begin (D1). */
export function checkTimes(form: Times, report: Report): Times {
  const times: { -readonly [Name in keyof Times]: Times[Name] } = {};
  for (const name of ['opens_at', 'closes_at'] as const) {
    const written = form[name];
    if (typeof written !== 'string') continue;
    const time = wireTimeOf(written);
    if (time === undefined)
      report(name, `must be a time that exists, from the year 1 to 9999, but is ${quote(written)}`);
    else times[name] = time;
  }
  const { opens_at, closes_at } = times;
  if (typeof opens_at === 'string' && typeof closes_at === 'string' && closes_at <= opens_at)
    report(
      'closes_at',
      `must be later than opens_at, ${quote(String(form.opens_at))}, but is ${quote(String(form.closes_at))}`,
    );
  return times;
}

/** Undefined: the time does not exist. */
function wireTimeOf(written: string): string | undefined {
  const [, day = '', time = '', fraction = '', offset = ''] =
    /^(\d{4}-\d{2}-\d{2})T([\d:]+)[.]?(\d*)(Z|[+-].*)$/.exec(written) ?? [];
  const at = new Date(`${day}T${time}${offset}`);
  const year = at.getUTCFullYear();
  // JavaScript reads 31 February as 3 March.
  const isDay = new Date(`${day}T00:00Z`).getUTCDate() === Number(day.slice(-2));
  if (!isDay || !(year >= 1 && year <= 9999)) return undefined;
  return `${at.toISOString().slice(0, 19)}.${fraction.padEnd(6, '0')}Z`;
}
