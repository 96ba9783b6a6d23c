/** The reason why a text cannot be stored: the code of the field error, and the end of its message, such as "contains …". */
export interface UnstorableReason {
  readonly code: 'contains_lone_surrogate' | 'contains_null_character' | 'number_out_of_range';
  readonly why: string;
}

const NULL_CHARACTER = { code: 'contains_null_character', why: 'contains the character U+0000' } as const;
const LONE_SURROGATE = {
  code: 'contains_lone_surrogate',
  why: 'contains a lone surrogate, half of a character',
} as const;
const OUT_OF_RANGE = { code: 'number_out_of_range', why: 'contains a number beyond ±1.8e308' } as const;

/**
 * Returns why PostgreSQL cannot store a text, or undefined if it can (V10). PostgreSQL stores neither U+0000 nor lone surrogates.
 */
export function unstorableReason(text: string): UnstorableReason | undefined {
  if (text.includes('\u0000')) return NULL_CHARACTER;
  if (!text.isWellFormed()) return LONE_SURROGATE;
  return undefined;
}

/**
 * Returns why a JSON value cannot be stored unchanged, or undefined if it can. The reason is unstorable text in a
 * string or a key, or a number beyond ±1.8e308.
 */
export function unstorableJsonReason(value: unknown): UnstorableReason | undefined {
  if (typeof value === 'string') return unstorableReason(value);
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : OUT_OF_RANGE;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, member] of Object.entries(value)) {
    const wrong = unstorableReason(key) ?? unstorableJsonReason(member);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}
