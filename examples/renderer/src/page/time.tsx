import { useEffect, useState } from 'preact/hooks';

/** Words in the language of the page. */
const AGO = new Intl.RelativeTimeFormat(document.documentElement.lang);
/** Formats in the browser's locale and time zone. */
const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
/** Seconds, the longest first. */
const UNITS = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** How long ago it was, such as "3 minutes ago". */
export function agoText(at: string): string {
  const seconds = (Date.now() - Date.parse(at)) / 1000;
  const found = UNITS.find(([, length]) => seconds >= length);
  if (found === undefined) return 'just now';
  const [unit, length] = found;
  return AGO.format(-Math.floor(seconds / length), unit);
}

/** Stays up to date while the page is open. */
export function Ago({ at }: { at: string }) {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((ticks) => ticks + 1), 30_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <time dateTime={at} title={MOMENT.format(new Date(at))}>
      {agoText(at)}
    </time>
  );
}

export function Moment({ at }: { at: string }) {
  return <time dateTime={at}>{MOMENT.format(new Date(at))}</time>;
}
