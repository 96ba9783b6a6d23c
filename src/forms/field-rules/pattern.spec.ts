import fc from 'fast-check';
import { RE2JS } from 're2js';
import { compilePattern, type Pattern, sizeAtMost } from './pattern.js';

function compiled(source: string): Pattern {
  const pattern = compilePattern(source);
  if (typeof pattern === 'string') throw new Error(pattern);
  return pattern;
}

describe('J2: a pattern', () => {
  it.each([
    ['a|ab', 'ab', true],
    ['a', 'ba', false],
    ['a', 'ab', false],
    ['', '', true],
    ['.', '🙂', true],
    ['a.b', 'a\nb', false],
    ['(?s)a.b', 'a\nb', true],
    ['(?m)^a$', 'a\nb', false],
  ])('must match the whole value: %s and %j: %s', (source, text, expected) => {
    expect(compiled(source).matches(text)).toBe(expected);
  });

  // pattern.long.spec.ts measures the time.
  it.each(['(a+)+', '(a|aa)+', '([a-zA-Z]+)*', '(x+x+)+y', '(.*a){20}'])(
    'for which a backtracking engine takes exponential time checks a long text: %s',
    (source) => {
      expect(compiled(source).matches(`${'a'.repeat(10_000)}!`)).toBe(false);
    },
  );

  it.each(['(', '[', 'a**', '(?=a)', '(?!a)', '(?<=a)', '(?<!a)', '(a)\\1', 'a{1001}', '\\u0041'])(
    'that is no RE2 pattern has a reason, and throws no error: %s',
    (source) => {
      expect(compilePattern(source)).toMatch(/./);
    },
  );
});

describe('J8: the size of a pattern is limited, so that a check takes only a few milliseconds', () => {
  it.each(['a{601}', '(a{30}){30}', 'a{1000}'.repeat(71), `${'('.repeat(60)}a${'){9}'.repeat(60)}`])(
    'rejects a pattern that is too large (%#)',
    (source) => {
      expect(compilePattern(source)).toMatch(/larger than 600 instructions/);
    },
  );

  it('allows long text, even for patterns with counted repetitions', () => {
    expect(compiled('[a-z]{1,255}').maxLength).toBeGreaterThan(255);
    expect(compiled('a{590}').maxLength).toBeGreaterThanOrEqual(416);
    expect(compiled('.*foo.*').maxLength).toBeGreaterThan(10_000);
  });
});

describe('sizeAtMost() is an upper bound of the compiled size', () => {
  const isBound = (source: string) => {
    expect(sizeAtMost(source)).toBeGreaterThanOrEqual(RE2JS.compile(source).programSize());
  };

  it.each([
    ...['', 'abc', 'a{1000}', '(a{10}){10}', '((a|b){3}c){4,}', 'a{5}b{5}', '\\p{L}{50}', '[]a]{9}'],
    ...['[^]a]{9}', '[[:alpha:]]{9}', '[\\]a]{9}', '\\Q(a{9}\\E', '\\x{1F600}{9}', '\\(a{9}\\)', '(?i)k{9}'],
    ...['(?P<name>a){9}', 'a{2,}?', '\\d{4}-\\d{2}-\\d{2}'],
  ])('%s', isBound);

  const atoms = fc.constantFrom('a', '.', '\\d', '[a-z]', '\\pL', '\\p{Greek}', '[^b]', '^', '\\b', '(?i)x');
  const patterns = fc.letrec<{ pattern: string; group: string }>((tie) => ({
    pattern: fc.oneof({ maxDepth: 4 }, atoms, tie('group')),
    group: fc
      .tuple(
        fc.array(tie('pattern'), { minLength: 1, maxLength: 3 }),
        fc.constantFrom('', '|'),
        fc.constantFrom('', '*', '+?', '{3}', '{2,}', '{0,4}'),
      )
      .map(([parts, between, count]) => `(${parts.join(between)})${count}`),
  })).pattern;

  it('for random patterns', () => fc.assert(fc.property(patterns, isBound)));

  it.each(['a{1000}'.repeat(71), `${'('.repeat(60)}a${'){9}'.repeat(60)}`])(
    'that is found without compiling the pattern, which would take seconds (%#)',
    (source) => {
      expect(sizeAtMost(source)).toBeGreaterThan(50_000);
    },
  );
});
