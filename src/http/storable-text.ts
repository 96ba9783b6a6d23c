/**
 * Why PostgreSQL cannot hold this text, or undefined where it can (V10): it has neither U+0000 nor lone surrogates.
 */
export function unstorable(text: string): string | undefined {
  if (text.includes('\u0000')) return 'contains the character U+0000';
  if (!text.isWellFormed()) return 'contains a lone surrogate, half of a character';
  return undefined;
}

/**
 * Why a JSON value cannot be stored as given, or undefined where it can: unstorable text in a string or a key, or a
 * number beyond the range of a double.
 */
export function unstorableJson(value: unknown): string | undefined {
  if (typeof value === 'string') return unstorable(value);
  if (typeof value === 'number') {
    return Number.isFinite(value) ? undefined : 'contains a number that is out of range';
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, member] of Object.entries(value)) {
    const why = unstorable(key) ?? unstorableJson(member);
    if (why !== undefined) return why;
  }
  return undefined;
}
