// Between answers and what a page shows of them: `formtrail-session/inputs`. A module of its own, because not every page needs it.
import type { Field, Mistake } from 'formtrail-client';
import type { AnswerKey } from './answer-key.js';
import { heldBy } from './components.js';
import { plainText } from './markup.js';
import type { Group, Question, ShownDraft } from './snapshot.js';
import { chosenIn, isDate, type WithOptions } from './value-formats.js';
import { mistakesOn, placesOf } from './view.js';

export { chosenIn, isDate };

/** Returns the value of a checkbox question with these options chosen: in the order of the form, without parts that are no options. */
export function joinChosen(chosen: readonly string[], { options }: WithOptions): string {
  const values = options.map((option) => option.value);
  return values.filter((value) => chosen.includes(value)).join(',');
}

/**
 * Returns the chosen options of a checkbox question after one of them was ticked or unticked. An option that excludes others unticks
 * them, and they untick it.
 */
export function toggleChosen(chosen: readonly string[], toggled: string, { options }: WithOptions): string[] {
  const others = chosen.filter((one) => one !== toggled);
  if (others.length < chosen.length) return others;
  const exclusive = options.filter((option) => option.is_exclusive).map(({ value }) => value);
  return exclusive.includes(toggled)
    ? [toggled]
    : [...others.filter((one) => !exclusive.includes(one)), toggled];
}

/** Whether a single checkbox is ticked. Accepts every spelling that strict completion accepts, because another program may have stored it. */
export function isChecked(value: string): boolean {
  return /^(true|yes|on|1)$/i.test(value);
}

/** The words of {@link answerText} in the language of the page. */
export interface AnswerWords {
  readonly text: {
    readonly yes: string;
    readonly no: string;
    readonly fileWithoutName: string;
    /** Between several chosen options. By default, a comma. */
    readonly separator?: string;
  };
  /** Formats an existing date in UTC, because a value has no time zone. */
  readonly dateText: (date: string) => string;
  /** Language of numbers. By default, they are shown as they are stored. */
  readonly locale?: string | undefined;
}

/** A value as text for people: labels of the chosen options, a date or number in the language of the page, the name of a file. */
export function answerText(
  field: Field,
  value: string,
  file: { readonly name: string } | undefined,
  { text, dateText, locale }: AnswerWords,
): string {
  const { options } = field;
  const held = heldBy(field);
  const labelOf = (chosen: string) => {
    const option = options.find(({ value: one }) => one === chosen);
    return option ? plainText(option.label) : chosen;
  };
  if (held === 'file') return file?.name ?? (value.startsWith('file:') ? text.fileWithoutName : value);
  if (held === 'date') return isDate(value) ? dateText(value) : value;
  if (held === 'number') return numberText(value, locale);
  if (held !== 'options') return labelOf(value);
  if (options.length === 0) return isChecked(value) ? text.yes : text.no;
  return chosenIn(value, field)
    .map(labelOf)
    .join(text.separator ?? ', ');
}

/** Whether the language writes a comma as decimal sign. */
function hasComma(language: string | undefined): boolean {
  return language !== undefined && new Intl.NumberFormat(language).format(0.5).includes(',');
}

/**
 * The value of what was typed into a number input: one comma without a point is the decimal sign, if the language writes one. Everything
 * else stays as typed, because a sign between groups of digits cannot be told from a decimal sign. Digits are never rounded.
 */
export function readNumber(typed: string, language: string | undefined): string {
  // Arabic and Persian keyboards have digits and a decimal sign of their own.
  const latin = typed.replace(/[٠-٩۰-۹]/g, (digit) => `${digit.charCodeAt(0) & 15}`).replace('٫', '.');
  return /^\s*[-+]?\d*,\d*\s*$/.test(latin) && hasComma(language) ? latin.replace(',', '.') : latin;
}

/** A decimal number with the decimal sign of the language. Other values stay as they are. */
export function numberText(value: string, language: string | undefined): string {
  return /^[-+]?\d*\.\d*$/.test(value) && hasComma(language) ? value.replace('.', ',') : value;
}

/** The value to render in a number input: what is typed in it, as long as it means the value. */
export function numberIn(
  input: HTMLInputElement | null | undefined,
  value: string,
  language: string | undefined,
): string {
  return input && readNumber(input.value, language) === value ? input.value : numberText(value, language);
}

/** A number with one sign between groups of digits, and another one as decimal sign: "1.234,5" and "1,234.5". */
const GROUPED = /^\s*([-+]?\d*)([.,])((?:\d|\2)*)(?!\2)[.,](\d*)\s*$/;

/** Returns the keys of the number inputs of the current step that show a number with signs between groups of digits. */
export function unreadableNumbers({ step }: Pick<ShownDraft, 'step'>): ReadonlySet<AnswerKey> {
  const isUnreadableNumber = (place: Question | Group) =>
    place.kind === 'question' && heldBy(place.field) === 'number' && GROUPED.test(place.value);
  return new Set((step ? placesOf(step) : []).filter(isUnreadableNumber).map(({ key }) => key));
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

/**
 * Returns the snapshot with a field error at each of these questions. The param `example` in the error of a number is the number as
 * people write it in the language.
 */
export function withUnreadable(
  shown: ShownDraft,
  keys: ReadonlySet<AnswerKey>,
  language?: string,
): ShownDraft {
  if (keys.size === 0) return shown;
  const steps = shown.steps.map((step) => marked(step, keys, language));
  return {
    ...shown,
    steps,
    step: shown.step && marked(shown.step, keys, language),
    mistakes: [...mistakesOn(steps), ...shown.mistakes.filter(({ key }) => key === undefined)],
    saving: shown.saving.kind === 'saved' ? { kind: 'incomplete' } : shown.saving,
  };
}

interface Part {
  readonly key?: string;
  readonly field?: Field;
  readonly value?: string;
  readonly blocks?: readonly Part[];
  readonly entries?: readonly Part[];
}

function marked<Whole extends Part>(part: Whole, keys: ReadonlySet<AnswerKey>, language?: string): Whole {
  const { key = '', blocks, entries } = part;
  return {
    ...part,
    ...(blocks && { blocks: blocks.map((block) => marked(block, keys, language)) }),
    ...(entries && { entries: entries.map((entry) => marked(entry, keys, language)) }),
    ...(keys.has(key) && { mistake: mistakeOf(key, part, language) }),
  };
}

function mistakeOf(key: AnswerKey, { field, value = '' }: Part, language?: string): Mistake {
  if (field && heldBy(field) === 'number') {
    const [, start = '', sign = '', groups = '', fraction = ''] = GROUPED.exec(value) ?? [];
    const example = `${start}${groups.replaceAll(sign, '')}${hasComma(language) ? ',' : '.'}${fraction}`;
    const detail = 'The number has signs between its digits.';
    return { field: key, code: 'not_a_number', params: { example }, detail };
  }
  return { field: key, code: 'not_a_date', params: {}, detail: 'The input shows no date.' };
}
