import { RE2JS, RE2Set } from 're2js';

/**
 * Instructions of a compiled pattern (J8). A counted repetition has a copy of its content for each count: `[a-z]{1,255}` has
 * 512 instructions.
 */
export const MAX_PATTERN_SIZE = 600;

/**
 * Instructions times UTF-16 units of the text, for one check (J8). The worst pattern takes 6 ms for them. The largest pattern may be
 * asked about 416 units, which is more than it can count.
 */
const MAX_PATTERN_STEPS = 250_000;

/** The states that RE2 keeps for a pattern. A pattern that needs more is matched without them, in less memory and less time. */
const MAX_STATES_BYTES = 32 * 1024;

/** A pattern of RE2 (J2): no text takes more than linear time. */
export interface Pattern {
  /** UTF-16 units of the longest text that the pattern may be asked about. */
  readonly maxLength: number;
  /** Whether the whole text matches. */
  readonly matches: (text: string) => boolean;
}

/** The pattern, or in a few words what is wrong with it. */
export function compilePattern(source: string): Pattern | string {
  // To compile it takes time that grows with its size, so the size is estimated first.
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

const TOO_LARGE = `its counted repetitions make it larger than ${MAX_PATTERN_SIZE} instructions, the most there may be`;

/** A character, class, escape or counted repetition of a pattern. */
const TOKEN =
  /\\Q[^]*?(?:\\E|$)|\\[pPx]\{[^}]*\}|\\[^]|\[\^?\]?(?:\[:\^?\w+:\]|\\[^]|[^\]\\])*\]|\{(\d+)(,?)(\d*)\}|[^]/gu;

/** Instructions for a group or a repetition beside its content. */
const OVERHEAD = 2;

/** An upper bound for the instructions of a pattern once RE2 has compiled it, in time that is linear in its length. */
export function sizeAtMost(source: string): number {
  // The sizes of the groups around the one that is open, the innermost last.
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
      // `x{2,5}` is five copies, and `x{2,}` three.
      const copies = most ? Number(most) : Number(least) + (comma ? 1 : 0);
      last = last * Math.max(copies - 1, 0) + copies * OVERHEAD;
    }
    group += last;
  }
  return around.reduce((sum, size) => sum + size, group);
}
