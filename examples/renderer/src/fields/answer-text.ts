import type { Field, SubmissionFile } from 'formtrail-client';
import { answerText as textOf } from 'formtrail-session/inputs';

/** Uses the browser's locale. Formats in UTC, because a value has no time zone and must not shift to another day. */
const LONG_DATE = new Intl.DateTimeFormat(undefined, { dateStyle: 'long', timeZone: 'UTC' });

const WORDS = {
  text: { yes: 'Yes', no: 'No', fileWithoutName: 'A file' },
  dateText: (date: string) => LONG_DATE.format(new Date(date)),
};

/** A value as text for people: the labels of the chosen options, a date in the browser's locale, the name of a file. */
export function answerText(field: Field, value: string, file?: SubmissionFile): string {
  return textOf(field, value, file, WORDS);
}
