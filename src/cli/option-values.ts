import { InvalidArgumentError } from 'commander';

const SECONDS = { m: 60, h: 3_600, d: 86_400, w: 604_800 };
const MAX_DAYS = 36_500;

export function parseEmail(text: string): string {
  if (!/^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(text) || Array.from(text).length > 255) {
    throw new InvalidArgumentError(
      'It must be an e-mail address such as ada@example.org, up to 255 characters.',
    );
  }
  return text;
}

export function parseTokenName(text: string): string {
  if (text === '' || /\p{Cc}/u.test(text) || Array.from(text).length > 255) {
    throw new InvalidArgumentError('It must be 1 to 255 characters on one line.');
  }
  return text;
}

/** In seconds. */
export function parseDuration(text: string): number {
  const [, amount = '', unit = ''] = /^(\d{1,9})([mhdw])$/.exec(text) ?? [];
  const seconds = Number(amount) * SECONDS[unit as keyof typeof SECONDS];
  if (!(seconds > 0 && seconds <= MAX_DAYS * SECONDS.d)) {
    throw new InvalidArgumentError(
      'It must be a whole number of minutes, hours, days or weeks, such as 30m, 12h, 90d or 2w, up to ' +
        `${MAX_DAYS}d.`,
    );
  }
  return seconds;
}

export function parseId(text: string): number {
  const id = Number(text);
  if (!/^\d+$/.test(text) || id < 1 || id > 2_147_483_647) {
    throw new InvalidArgumentError('It must be a whole number from 1, as "tokens list" shows it.');
  }
  return id;
}
