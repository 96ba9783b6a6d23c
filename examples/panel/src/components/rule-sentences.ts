import { dateBoundInWords, numbered } from './relative-dates.js';
import {
  canHold,
  fieldsById,
  type Held,
  nameInWords,
  NOTHING,
  type TestedField,
  type TestedStep,
} from './tested-fields.js';

/** A rule, possibly with inputs that are still empty. */
export interface RuleCells {
  readonly kind?: string | null;
  readonly value?: string | null;
  /** The field with whose answer the rule compares, instead of the value. */
  readonly otherFieldId?: number | string | null;
  readonly offsetDays?: number | string | null;
}

interface ShownKind {
  readonly label: string;
  /** The sentence before the bound. */
  readonly words: string;
  /** `date`, and `number` without a sum: a bound can be the answer to another field. `field`: it always is one. */
  readonly bound: 'number' | 'sum' | 'length' | 'pattern' | 'date' | 'field';
}

/** The one place of the panel that lists kinds of rules. A test compares it with those of the service. */
export const SHOWN_KINDS = {
  min: { label: 'Smallest number', words: 'At least', bound: 'number' },
  max: { label: 'Largest number', words: 'At most', bound: 'number' },
  min_length: { label: 'Fewest characters', words: 'At least', bound: 'length' },
  max_length: { label: 'Most characters', words: 'At most', bound: 'length' },
  pattern: { label: 'Pattern', words: 'Like the pattern', bound: 'pattern' },
  min_date: { label: 'Earliest date', words: 'Not before', bound: 'date' },
  max_date: { label: 'Latest date', words: 'Not after', bound: 'date' },
  equal: { label: 'Same as', words: 'The same as', bound: 'field' },
  not_equal: { label: 'Different from', words: 'Different from', bound: 'field' },
  min_sum: { label: 'Smallest total', words: 'In total at least', bound: 'sum' },
  max_sum: { label: 'Largest total', words: 'In total at most', bound: 'sum' },
} satisfies Readonly<Record<string, ShownKind>>;

const shown = (kind: unknown) => (SHOWN_KINDS as Readonly<Record<string, ShownKind>>)[String(kind)];
export const boundOf = (kind: unknown): ShownKind['bound'] | undefined => shown(kind)?.bound;

/** Kinds of values to which a rule with this bound applies. */
const APPLIES: Readonly<Record<ShownKind['bound'], readonly Held[]>> = {
  number: ['number', 'text'],
  sum: ['number'],
  length: ['text', 'email'],
  pattern: ['text', 'email', 'number', 'date'],
  date: ['date', 'text'],
  field: ['text', 'email', 'number', 'date', 'option'],
};

/** Whether a rule applies to a field. A total is that of several values. */
export function fitsHeld(kind: unknown, held: Held, isRepeatable: boolean): boolean {
  const bound = boundOf(kind);
  return bound !== undefined && APPLIES[bound].includes(held) && (bound !== 'sum' || isRepeatable);
}

/** Whether a rule can compare with the answer to the other field. */
export function fitsOther(kind: unknown, other: TestedField): boolean {
  const bound = boundOf(kind);
  if (bound === 'number' || bound === 'date') return canHold(bound, other);
  return APPLIES.field.includes(other.held);
}

/** Says what answers have to be like: "Not before the answer to Departure plus 1 day". */
export function ruleSentences(rules: readonly RuleCells[], steps: readonly TestedStep[]): string[] {
  const fields = fieldsById(steps);
  return rules.map(({ kind, value, otherFieldId, offsetDays }) => {
    const words = shown(kind)?.words ?? NOTHING;
    if (!otherFieldId && boundOf(kind) !== 'field') return `${words} ${boundInWords(kind, value || NOTHING)}`;
    const other = fields.get(String(otherFieldId));
    const never = other?.isRetired ? ' (never checked: that field is retired)' : '';
    return `${words} the answer to ${nameInWords(other)}${distance(Number(offsetDays ?? 0))}${never}`;
  });
}

function boundInWords(kind: unknown, value: string): string {
  if (boundOf(kind) === 'length') return numbered(value, 'character');
  return (boundOf(kind) === 'date' ? dateBoundInWords(value) : undefined) ?? value;
}

const distance = (days: number) =>
  days === 0 ? '' : ` ${days < 0 ? 'minus' : 'plus'} ${numbered(Math.abs(days), 'day')}`;
