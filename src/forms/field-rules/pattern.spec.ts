import { MAX_RULE_VALUE } from '../limits.js';
import { compilePattern, type Pattern } from './pattern.js';

function compiled(source: string): Pattern {
  const pattern = compilePattern(source);
  if (typeof pattern === 'string') throw new Error(pattern);
  return pattern;
}

/** Each with a text that takes an engine which goes back exponential or at least quadratic time. */
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

const LENGTH = 30_000;

describe('J2: a pattern takes time that is linear in the length of the text', () => {
  it.each(CATASTROPHIC)('%s: twice as long a text takes twice as long at most', (source, text) => {
    const pattern = compiled(source);
    const [once, twice] = [text(LENGTH), text(2 * LENGTH)];
    // As often as it takes for a run to be long enough for the clock, and warm.
    const matches = (subject: string, times: number) => {
      const start = performance.now();
      let matched = 0;
      for (let time = 0; time < times; time += 1) if (pattern.matches(subject)) matched += 1;
      const took = performance.now() - start;
      expect(matched).toBe(0);
      return took;
    };
    let times = 1;
    while (matches(once, times) < 3) times *= 2;
    // The best of several, in turns: others run on this machine too, and only ever make it slower.
    const best = { once: Infinity, twice: Infinity };
    for (let run = 0; run < 40; run += 1) {
      best.once = Math.min(best.once, matches(once, times));
      best.twice = Math.min(best.twice, matches(twice, times));
      if (run >= 4 && best.twice <= 2.1 * best.once) break;
    }
    // Linear is 2 and quadratic 4; in quiet it is at most 2.2.
    expect(best.twice / best.once).toBeLessThan(3);
  });
});

describe('J2: the whole value', () => {
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

describe('what is no pattern of RE2', () => {
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
  ])('%s: why is said, and nothing is thrown', (source) => {
    expect(compilePattern(source)).toMatch(/./);
  });

  it('whatever fits the column is compiled or refused in little time', () => {
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
