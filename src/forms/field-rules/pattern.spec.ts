import { MAX_RULE_VALUE } from '../limits.js';
import { compilePattern, type Pattern } from './pattern.js';

function compiled(source: string): Pattern {
  const pattern = compilePattern(source);
  if (typeof pattern === 'string') throw new Error(pattern);
  return pattern;
}

/** Patterns with a text for which a backtracking engine takes exponential, or at least quadratic, time. */
const CATASTROPHIC: [source: string, text: (length: number) => string][] = [
  ['(a+)+', (length) => `${'a'.repeat(length)}!`],
  ['(a|a)*', (length) => `${'a'.repeat(length)}!`],
  ['(a|aa)+', (length) => `${'a'.repeat(length)}!`],
  ['([a-zA-Z]+)*', (length) => `${'a'.repeat(length)}1`],
  ['(.*.*.*)*=', (length) => 'x'.repeat(length)],
  ['\\s+\\s+x', (length) => ' '.repeat(length)],
  ['(.*a){20}', (length) => `${'a'.repeat(length)}b`],
  ['(([a-z0-9])+[.])*[a-z]{2,}@', (length) => 'a0.'.repeat(length / 3)],
  ['(x+x+)+y', (length) => 'x'.repeat(length)],
  ['(\\w+\\s?)*', (length) => `${'word '.repeat(length / 5)}!`],
];

/** Characters of a text. Twice this length still fits in the same processor cache. */
const LENGTH = 100_000;
/** Minimum microseconds of a run, so that the overhead around the run does not matter. */
const LONG_RUN = 10_000;
const MOST_ROUNDS = 40;

describe('J2: a pattern takes time that is linear in the length of the text', () => {
  it.each(CATASTROPHIC)('%s: a text of twice the length takes at most 3 times as long', (source, text) => {
    const pattern = compiled(source);
    const [once, twice] = [text(LENGTH), text(2 * LENGTH)];
    // Measure CPU time, so that other processes do not disturb the result.
    const run = (subject: string, times: number) => {
      const start = process.cpuUsage();
      for (let time = 0; time < times; time += 1) expect(pattern.matches(subject)).toBe(false);
      const { user, system } = process.cpuUsage(start);
      return user + system;
    };
    let times = 1;
    // This loop also warms up the JIT compiler.
    while (run(once, times) < LONG_RUN) times *= 2;
    // Take the minimum of several alternating runs: garbage collection and cache misses only ever add time.
    const least = { once: Infinity, twice: Infinity };
    for (let round = 1; round <= MOST_ROUNDS; round += 1) {
      least.once = Math.min(least.once, run(once, times));
      least.twice = Math.min(least.twice, run(twice, times));
      if (round >= 5 && least.twice < 2.1 * least.once) break;
    }
    // Linear time gives a ratio of 2, quadratic time a ratio of 4.
    expect(least.twice / least.once).toBeLessThan(3);
  });
});

describe('J2: a pattern must match the whole value', () => {
  it.each([
    ['a|ab', 'ab', true],
    ['a', 'ba', false],
    ['a', 'ab', false],
    ['', '', true],
    ['.', '🙂', true],
    ['a.b', 'a\nb', false],
    ['(?s)a.b', 'a\nb', true],
    ['(?m)^a$', 'a\nb', false],
  ])('%s and %j: %s', (source, text, expected) => {
    expect(compiled(source).matches(text)).toBe(expected);
  });
});

describe('compilePattern()', () => {
  it.each([
    '(',
    '[',
    'a**',
    '(?=a)',
    '(?!a)',
    '(?<=a)',
    '(?<!a)',
    '(a)\\1',
    'a{1001}',
    '((a{100}){100}){100}',
    '\\u0041',
  ])('returns the reason why a text is not an RE2 pattern, and does not throw: %s', (source) => {
    expect(compilePattern(source)).toMatch(/./);
  });

  it('takes less than 5 seconds for the worst texts that fit the column', () => {
    const longest = [
      `${'('.repeat(250)}${')'.repeat(250)}`,
      `${'('.repeat(249)}a${')*'.repeat(125)}`,
      'a{1000}'.repeat(71),
      '\\pL{500}\\pN{500}'.repeat(29),
      `(?:${'(a|b|c|d)*'.repeat(40)}){2}`,
      'x?'.repeat(250),
    ];
    for (const source of longest) {
      expect(source.length).toBeLessThanOrEqual(MAX_RULE_VALUE);
      const start = performance.now();
      const pattern = compilePattern(source);
      if (typeof pattern !== 'string') pattern.matches('ab'.repeat(100));
      expect(performance.now() - start).toBeLessThan(5_000);
    }
  });
});

describe('J8: a check takes only a few milliseconds', () => {
  it.each(['a{601}', '(a{30}){30}', 'a{1000}'.repeat(71)])(
    'rejects a pattern that is too large: %.20s',
    (source) => {
      expect(compilePattern(source)).toMatch(/larger than 600 instructions/);
    },
  );

  it('allows long text, even for patterns with counted repetitions', () => {
    expect(compiled('[a-z]{1,255}').maxLength).toBeGreaterThan(255);
    expect(compiled('a{590}').maxLength).toBeGreaterThanOrEqual(416);
    expect(compiled('.*foo.*').maxLength).toBeGreaterThan(10_000);
  });

  const cpuOf = (work: () => unknown) => {
    const start = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(start);
    return user + system;
  };
  const count = () => {
    let sum = 0;
    for (let index = 0; index < 20_000_000; index += 1) sum = (sum * 31 + index) | 0;
    return sum;
  };

  /** Each pattern has many simultaneous states, and the text always leads to new states. */
  it.each([
    ['.*a.{400}c', 'ab'],
    ['.*\\pL.{300}\\pN', 'éa1'],
    ['(?i).*k.{400}c', 'kKaé'],
    ['(\\b|\\B)*.*a.{200}c', 'ab '],
    ['(.*a){100}', 'ab'],
  ])('%s: the longest text takes less time than counting to 20 million', (source, characters) => {
    const pattern = compiled(source);
    let seed = 1;
    const next = () => (seed = (seed * 48_271) % 2_147_483_647);
    const text = Array.from({ length: pattern.maxLength }, () => characters[next() % characters.length]).join(
      '',
    );
    // Take the minimum of several alternating runs, as above.
    const least = { check: Infinity, count: Infinity };
    for (let round = 1; round <= MOST_ROUNDS; round += 1) {
      least.check = Math.min(
        least.check,
        cpuOf(() => pattern.matches(text)),
      );
      least.count = Math.min(least.count, cpuOf(count));
      if (round >= 5 && least.check < least.count) break;
    }
    expect(least.check).toBeLessThan(least.count);
  });
});
