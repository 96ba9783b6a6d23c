/** The time in the browser's language, with its time zone. */
export const timeOf = (iso: string): string =>
  new Date(iso).toLocaleString(undefined, {
    ...{ day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' },
    timeZoneName: 'short',
  });
