import { RE2JS, RE2Set } from 're2js';

/**
 * Maximum instructions of a compiled pattern (J8). A counted repetition is compiled to a copy of its content for each count, so
 * `[a-z]{1,255}` has 511 instructions.
 */
export const MAX_PATTERN_SIZE = 600;

/**
 * Maximum product of a pattern's instructions and a text's UTF-16 units (J8). The worst pattern takes 6 ms for this
 * product. A pattern of the maximum size can check 416 units.
 */
const MAX_PATTERN_STEPS = 250_000;

/** Maximum bytes of the cached states of a pattern. A pattern that needs more memory is faster and smaller without the cache. */
const MAX_STATES_BYTES = 32 * 1024;

/** An RE2 pattern (J2). Matching takes time that is linear in the length of the text. */
export interface Pattern {
  /** The longest text that the pattern may check, in UTF-16 units. */
  readonly maxLength: number;
  /** Whether the whole text matches. */
  readonly matches: (text: string) => boolean;
}

/** Returns the compiled pattern, or a short description of the error in it. */
export function compilePattern(source: string): Pattern | string {
  // Compiling takes time that grows with the size of the pattern, so estimate the size first.
  if (sizeAtMost(source) > 6 * MAX_PATTERN_SIZE) return TOO_LARGE;
  try {
    const size = RE2JS.compile(source).programSize();
    if (size > MAX_PATTERN_SIZE) return TOO_LARGE;
    const set = new RE2Set(RE2Set.ANCHOR_BOTH, 0, MAX_STATES_BYTES);
    set.add(source);
    set.compile();
    return {
      maxLength: Math.floor(MAX_PATTERN_STEPS / size),
      matches: (text) => set.match(text).length > 0,
    };
  } catch (error) {
    return (error as Error).message.replace(/^error parsing regexp: /, '');
  }
}

const TOO_LARGE = `its counted repetitions make it larger than ${MAX_PATTERN_SIZE} instructions, which is the maximum`;

/** Matches a character, class, escape or counted repetition of a pattern. */
const TOKEN =
  /\\Q[^]*?(?:\\E|$)|\\[pPx]\{[^}]*\}|\\[^]|\[\^?\]?(?:\[:\^?\w+:\]|\\[^]|[^\]\\])*\]|\{(\d+)(,?)(\d*)\}|[^]/gu;

/** Instructions that a group or a repetition needs in addition to its content. */
const OVERHEAD = 2;

/** Returns an upper bound for the compiled size of a pattern, in time that is linear in the length of the pattern. */
export function sizeAtMost(source: string): number {
  // The sizes so far of the groups around the current group, innermost last.
  const around: number[] = [];
  let group = 1 + OVERHEAD;
  let last = 0;
  for (const [token, least, comma, most] of source.matchAll(TOKEN)) {
    if (token === '(') {
      around.push(group);
      group = 0;
      continue;
    }
    if (token === ')') {
      last = group + OVERHEAD;
      group = around.pop() ?? 0;
    } else if (least === undefined) {
      last = token.startsWith('\\Q') ? token.length : 1 + OVERHEAD;
    } else {
      // `x{2,5}` compiles to five copies of `x`, and `x{2,}` compiles to three copies.
      const copies = most ? Number(most) : Number(least) + (comma ? 1 : 0);
      last = last * Math.max(copies - 1, 0) + copies * OVERHEAD;
    }
    group += last;
  }
  return around.reduce((sum, size) => sum + size, group);
}
