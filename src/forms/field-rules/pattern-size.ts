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
