import fc from 'fast-check';
import { RE2JS } from 're2js';
import { sizeAtMost } from './pattern.js';

const sizeOf = (source: string) => RE2JS.compile(source).programSize();

it.each([
  '',
  'a',
  'abc',
  '[a-z]{1,255}',
  'a{1000}',
  '(a{10}){10}',
  '((a|b){3}c){4,}',
  'a{5}b{5}',
  '\\p{L}{50}',
  '[]a]{9}',
  '[^]a]{9}',
  '[[:alpha:]]{9}',
  '[\\]a]{9}',
  '\\Q(a{9}\\E',
  '\\x{1F600}{9}',
  '\\(a{9}\\)',
  '(?i)k{9}',
  '(?P<name>a){9}',
  'a{2,}?',
  '\\d{4}-\\d{2}-\\d{2}',
])('sizeAtMost() is an upper bound of the compiled size: %s', (source) => {
  expect(sizeAtMost(source)).toBeGreaterThanOrEqual(sizeOf(source));
});

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

it('sizeAtMost() is an upper bound for random patterns', () => {
  fc.assert(
    fc.property(patterns, (source) => {
      expect(sizeAtMost(source)).toBeGreaterThanOrEqual(sizeOf(source));
    }),
  );
});

it.each(['a{1000}'.repeat(71), `${'('.repeat(60)}a${'){9}'.repeat(60)}`])(
  'sizeAtMost() finds a pattern too large without compiling it, which would take seconds: %.20s…',
  (source) => {
    expect(sizeAtMost(source)).toBeGreaterThan(50_000);
  },
);
