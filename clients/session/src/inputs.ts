// Between answers and what a page shows of them: `formtrail-session/inputs`. A module of its own, because not every page needs it.
import type { Field } from 'formtrail-client';
import type { AnswerKey } from './answer-key.js';
import { heldBy } from './components.js';
import type { ShownDraft } from './snapshot.js';
import { chosenIn, isDate, type WithOptions } from './value-formats.js';
import { mistakesOn } from './view.js';

export { chosenIn, isDate };

/** Returns the value of a checkbox question with these options chosen: in the order of the form, without parts that are no options. */
export function joinChosen(chosen: readonly string[], { options }: WithOptions): string {
  const values = options.map((option) => option.value);
  return values.filter((value) => chosen.includes(value)).join(',');
}

/** Whether a single checkbox is ticked. Accepts every spelling that strict completion accepts, because another program may have stored it. */
export function isChecked(value: string): boolean {
  return /^(true|yes|on|1)$/i.test(value);
}

/** The words of {@link answerText} in the language of the page. */
export interface AnswerWords {
  readonly text: { readonly yes: string; readonly no: string; readonly fileWithoutName: string };
  /** Formats an existing date in UTC, because a value has no time zone. */
  readonly dateText: (date: string) => string;
}

/** A value as text for people: labels of the chosen options, a date in the language of the page, the name of a file. */
export function answerText(
  field: Field,
  value: string,
  file: { readonly name: string } | undefined,
  { text, dateText }: AnswerWords,
): string {
  const { options } = field;
  const held = heldBy(field);
  const labelOf = (chosen: string) => options.find((option) => option.value === chosen)?.label ?? chosen;
  if (held === 'file') return file?.name ?? (value.startsWith('file:') ? text.fileWithoutName : value);
  if (held === 'date') return isDate(value) ? dateText(value) : value;
  if (held !== 'options') return labelOf(value);
  if (options.length === 0) return isChecked(value) ? text.yes : text.no;
  return chosenIn(value, field).map(labelOf).join(', ');
}

/** Attributes of a date input. Browsers take a year of two digits for one of the first century. */
export const DATE_RANGE = { min: '1000-01-01', max: '9999-12-31' };

/** Whether a date input can show a value. If not, show it in a text input: another program may have stored it. */
export function isShownAsDate(value: string): boolean {
  return value === '' || (value >= DATE_RANGE.min && isDate(value));
}

/** Date inputs that have changed without a change of the answer, because they showed no date, such as one without a year. */
const unread = new WeakSet<HTMLInputElement>();

type Change = (key: AnswerKey, value: string) => void;

/** Call it on each `input` event of a date input, whose `name` is the key of its answer. Changes the answer only to a date or to none. */
export function takeDate(input: HTMLInputElement, change: Change): void {
  if (isUnreadable(input)) {
    unread.add(input);
    return;
  }
  unread.delete(input);
  change(input.name, input.value);
}

/** The value to render in a date input. Another one would replace a date that is typed in half. */
export function dateIn(input: HTMLInputElement | null | undefined, value: string): string {
  return input && (unread.has(input) || isUnreadable(input)) ? input.value : value;
}

/**
 * Returns the keys of the date inputs of a page that show something else than a date. Call it when the focus leaves an input, and before
 * the person goes on: do not go on unless it is empty, because the page would lose what was typed.
 */
export function unreadableDates(page: ParentNode, change: Change): ReadonlySet<AnswerKey> {
  const keys = new Set<AnswerKey>();
  for (const input of page.querySelectorAll<HTMLInputElement>('[type=date]')) {
    if (isUnreadable(input)) keys.add(input.name);
    // Browsers do not tell when the rest of a date is removed.
    else if (unread.has(input)) takeDate(input, change);
  }
  return keys;
}

/** The `value` of such an input is `""`, or a date that nobody has meant. */
function isUnreadable({ validity }: HTMLInputElement): boolean {
  return validity.badInput || validity.rangeUnderflow;
}

/** Returns the snapshot with a field error at each of these questions. */
export function withUnreadable(shown: ShownDraft, keys: ReadonlySet<AnswerKey>): ShownDraft {
  if (keys.size === 0) return shown;
  const steps = shown.steps.map((step) => marked(step, keys));
  return {
    ...shown,
    steps,
    step: shown.step && marked(shown.step, keys),
    mistakes: [...mistakesOn(steps), ...shown.mistakes.filter(({ key }) => key === undefined)],
    saving: shown.saving.kind === 'saved' ? { kind: 'incomplete' } : shown.saving,
  };
}

interface Part {
  readonly key?: string;
  readonly blocks?: readonly Part[];
  readonly entries?: readonly Part[];
}

function marked<Whole extends Part>(part: Whole, keys: ReadonlySet<AnswerKey>): Whole {
  const { key = '', blocks, entries } = part;
  const mistake = { field: key, code: 'not_a_date', params: {}, detail: 'The input shows no date.' };
  return {
    ...part,
    ...(blocks && { blocks: blocks.map((block) => marked(block, keys)) }),
    ...(entries && { entries: entries.map((entry) => marked(entry, keys)) }),
    ...(keys.has(key) && { mistake }),
  };
}
