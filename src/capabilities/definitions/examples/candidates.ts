import { createHash } from 'node:crypto';
import type { FieldResponse } from '../../../forms/dto/form-schema.response.js';
import type { RuleKind } from '../../../forms/entities/rule-kinds.js';
import { dayOf } from '../../../conditions/engine/index.js';
import { definitionOf, FILE_COMPONENT } from '../../../forms/field-types.js';

const GIVEN_NAMES = [
  ...['Ada', 'Alan', 'Chien-Shiung', 'Dorothy', 'Edsger', 'Grace', 'Hedy', 'Katherine', 'Mary', 'Srinivasa'],
  ...['Tu', 'Zoë'],
];
/** One name less than above, so that the combinations repeat only after the product of both. */
const FAMILY_NAMES = [
  ...[
    'Hopper',
    'Johnson',
    'Lovelace',
    'Müller',
    'Nguyen',
    'O’Neill',
    'Ramanujan',
    'Seacole',
    'Turing',
    'Vaughan',
  ],
  'Youyou',
];
const SENTENCES = [
  'I would like to learn more about this.',
  'Nothing special, but I look forward to it.',
  'Please call me if you have questions.',
];
/** Factors of the number in a placeholder, so that conditions on small and on large numbers are met too. */
const FACTORS = [1, 0.25, 1.5, 0.5, 2.5];
const DAY = 24 * 60 * 60 * 1000;

/** A place for an answer: the number of the submission from 0, and that of the record, which is -1 outside of records. */
export interface Place {
  readonly submission: number;
  readonly record: number;
}

type AskedField = Pick<FieldResponse, 'code' | 'placeholder' | 'options' | 'rules' | 'meta' | 'order'> & {
  readonly field_type: Pick<FieldResponse['field_type'], 'component'>;
};

/**
 * Returns answers that fit the type, the options and the rules of a field, the best one first. Returns none for a file, and for a
 * text with a pattern and no example in the placeholder. A place always has the same answers, apart from dates, whose rules depend on
 * today.
 */
export function candidatesFor(field: AskedField, place: Place, today = new Date()): readonly string[] {
  const { component } = field.field_type;
  if (component === FILE_COMPONENT) return [];
  const values = field.options.map(({ value }) => value);
  const turn = spread(place, field.code);
  switch (definitionOf(component).holds) {
    case 'nothing':
      return [];
    case 'option':
      return rotated(values, turn);
    case 'options':
      return values.length === 0 ? ['true'] : someOf(field, turn);
    case 'number':
      return rotated(numbersFor(field), turn);
    case 'date':
      return [dateFor(field, place, today)];
    case 'email':
      return [emailOf(personIn(field, place))];
    case 'text':
      return textsFor(field, place);
  }
}

/** Returns a number from 0 for a place and a name, which looks random and is always the same. */
export function spread({ submission, record }: Place, name: string): number {
  return createHash('sha256').update(`${submission} ${record} ${name}`).digest().readUInt32BE();
}

function rotated<T>(values: readonly T[], turn: number): T[] {
  const start = turn % Math.max(values.length, 1);
  return [...values.slice(start), ...values.slice(0, start)];
}

/** One to three of the options that exclude no other, then each option alone. */
function someOf({ options }: AskedField, turn: number): string[] {
  const together = options.filter((option) => !option.is_exclusive);
  const some = rotated(together, turn).slice(0, 1 + (turn % 3));
  return [
    ...(some.length === 0 ? [] : [some.map(({ value }) => value).join(',')]),
    ...rotated(options, turn).map(({ value }) => value),
  ];
}

const boundOf = ({ rules }: AskedField, wanted: RuleKind) =>
  rules.find(({ kind, value }) => kind === wanted && value !== null)?.value ?? undefined;

function numbersFor(field: AskedField): string[] {
  const { placeholder } = field;
  const [least, most] = [Number(boundOf(field, 'min') ?? 0), Number(boundOf(field, 'max') ?? Infinity)];
  const example = Number(placeholder ?? 0);
  const decimals = /\.(\d+)$/.exec(placeholder ?? '')?.[1]?.length ?? 0;
  const numbers =
    example > 0 ? FACTORS.map((factor) => example * factor) : [0, 1, 3, 5].map((n) => least + n);
  return numbers.map((number) => Math.min(Math.max(number, least), most).toFixed(decimals));
}

/** Returns a date in the middle of the allowed range. All dates of a submission are close together, in the order of their fields. */
function dateFor(field: AskedField, place: Place, today: Date): string {
  const day = (bound: string | undefined) => {
    const date = bound === undefined ? undefined : dayOf(bound, today.toISOString().slice(0, 10));
    return date === undefined ? undefined : Date.parse(date);
  };
  const [min, max] = [day(boundOf(field, 'min_date')), day(boundOf(field, 'max_date'))];
  const first = min ?? (max ?? today.getTime()) - 365 * DAY;
  const last = max ?? first + 365 * DAY;
  const share = 0.3 + (spread({ ...place, record: -1 }, 'date') % 40) / 100;
  return new Date(first + share * (last - first) + field.order * DAY).toISOString().slice(0, 10);
}

interface Person {
  readonly given: string;
  readonly family: string;
}

/** Returns the person who fills in the form if the field has an `autocomplete`, or else another person. */
function personIn({ code, meta }: AskedField, place: Place): Person {
  const own = place.submission;
  const index = typeof meta?.['autocomplete'] === 'string' ? own : own + 1 + (spread(place, code) % 100);
  return {
    given: GIVEN_NAMES[index % GIVEN_NAMES.length] ?? '',
    family: FAMILY_NAMES[index % FAMILY_NAMES.length] ?? '',
  };
}

const emailOf = ({ given, family }: Person) =>
  `${given}.${family}@example.org`
    .normalize('NFD')
    .replace(/[^\w.@-]/g, '')
    .toLowerCase();

function textsFor(field: AskedField, place: Place): string[] {
  const { given, family } = personIn(field, place);
  switch (field.meta?.['autocomplete']) {
    case 'given-name':
      return [given];
    case 'family-name':
      return [family];
    case 'name':
      return [`${given} ${family}`];
  }
  if (field.placeholder !== null) return [field.placeholder];
  return boundOf(field, 'pattern') === undefined
    ? rotated(SENTENCES, spread(place, field.code)).slice(0, 1)
    : [];
}
