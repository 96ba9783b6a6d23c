const PARTS: Intl.DateTimeFormatOptions = {
  ...{ day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' },
};

/** The time in the browser's language, with its time zone. */
export const timeOf = (iso: string): string =>
  new Date(iso).toLocaleString(undefined, { ...PARTS, timeZoneName: 'short' });

/** The time in this time zone, with its name. Undefined: the browser does not know the time zone. */
export function timeIn(timeZone: string, iso: string): string | undefined {
  try {
    return `${new Date(iso).toLocaleString(undefined, { ...PARTS, timeZone })} (${timeZone})`;
  } catch {
    return undefined;
  }
}

export const ownTimeZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The time as the value of an input, which has the browser's time zone. */
export function localTime(iso: string): string {
  const date = new Date(iso);
  date.setMinutes(date.getMinutes() - date.getTimezoneOffset());
  return date.toISOString().slice(0, -1);
}
