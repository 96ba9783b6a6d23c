import { cpuOf } from '../../../test/support/cpu-time.js';
import { MAX_RULE_VALUE } from '../limits.js';
import { compilePattern, type Pattern } from './pattern.js';

const compiled = (source: string) => compilePattern(source) as Pattern;

/** Compares the minimum times of alternating runs: garbage collection and cache misses only ever add time. */
function ratioOf(work: () => unknown, reference: () => unknown, enough: number): number {
  let [one, other] = [Infinity, Infinity];
  for (let round = 1; round <= 40; round += 1) {
    one = Math.min(one, cpuOf(work));
    other = Math.min(other, cpuOf(reference));
    if (round >= 5 && one < enough * other) break;
  }
  return one / other;
}

describe('J2: a pattern takes time that is linear in the length of the text', () => {
  /** Characters of a text. Twice this length still fits in the same processor cache. */
  const LENGTH = 100_000;
  /** Minimum microseconds of a run, so that the overhead around the run does not matter. */
  const LONG_RUN = 10_000;

  /** Patterns with a text for which a backtracking engine takes exponential, or at least quadratic, time. */
  it.each<[source: string, unit: string, end: string]>([
    ['(a+)+', 'a', '!'],
    ['(a|a)*', 'a', '!'],
    ['(a|aa)+', 'a', '!'],
    ['([a-zA-Z]+)*', 'a', '1'],
    ['(.*.*.*)*=', 'x', ''],
    ['\\s+\\s+x', ' ', ''],
    ['(.*a){20}', 'a', 'b'],
    ['(([a-z0-9])+[.])*[a-z]{2,}@', 'a0.', ''],
    ['(x+x+)+y', 'x', ''],
    ['(\\w+\\s?)*', 'word ', '!'],
  ])('%s: a text of twice the length takes at most 3 times as long', (source, unit, end) => {
    const pattern = compiled(source);
    const [once, twice] = [1, 2].map((times) => unit.repeat((times * LENGTH) / unit.length) + end);
    const run = (text: string, times: number) => {
      for (let time = 0; time < times; time += 1) expect(pattern.matches(text)).toBe(false);
    };
    let times = 1;
    // This loop also warms up the JIT compiler.
    while (cpuOf(() => run(once!, times)) < LONG_RUN) times *= 2;
    const ratio = ratioOf(
      () => run(twice!, times),
      () => run(once!, times),
      2.1,
    );
    // Linear time gives a ratio of 2, quadratic time a ratio of 4.
    expect(ratio).toBeLessThan(3);
  });
});

it.each([
  `${'('.repeat(250)}${')'.repeat(250)}`,
  `${'('.repeat(249)}a${')*'.repeat(125)}`,
  'a{1000}'.repeat(71),
  '\\pL{500}\\pN{500}'.repeat(29),
  `(?:${'(a|b|c|d)*'.repeat(40)}){2}`,
  'x?'.repeat(250),
])('the worst text that fits the column is compiled in less than 5 seconds (%#)', (source) => {
  expect(source.length).toBeLessThanOrEqual(MAX_RULE_VALUE);
  const start = performance.now();
  const pattern = compilePattern(source);
  if (typeof pattern !== 'string') pattern.matches('ab'.repeat(100));
  expect(performance.now() - start).toBeLessThan(5_000);
});
