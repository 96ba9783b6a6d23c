const FORMAT = new Intl.DateTimeFormat(undefined, {
  ...{ year: 'numeric', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' },
  timeZoneName: 'short',
});

/** Shows a time in the time zone of the browser, which it names. */
export function zonedTime(time: unknown): string {
  const date = new Date(typeof time === 'string' ? time : '');
  return Number.isNaN(date.getTime()) ? '' : FORMAT.format(date);
}
