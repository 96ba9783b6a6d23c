import fc from 'fast-check';
import { parseInline, parseMarkup, type Piece, plainText } from 'formtrail-session/markup';

/** In short: `{i emphasis}`, `{b strong}`, `<href|text>`, `/` for a line break, and blocks, such as `(p paragraph)`. */
function shown(pieces: readonly Piece[]): string {
  return pieces
    .map((piece): string => {
      switch (piece.kind) {
        case 'text':
          return piece.text;
        case 'break':
          return '/';
        case 'link':
          return `<${piece.href}|${shown(piece.content)}>`;
        case 'emphasis':
          return `{i ${shown(piece.content)}}`;
        case 'strong':
          return `{b ${shown(piece.content)}}`;
        case 'paragraph':
          return `(p ${shown(piece.content)})`;
        case 'item':
          return `(li ${shown(piece.content)})`;
        case 'list':
          return `(ul ${shown(piece.content)})`;
        case 'numbered-list':
          return `(ol${piece.start} ${shown(piece.content)})`;
      }
    })
    .join('');
}

describe('the markup of a label (F13)', () => {
  it.each([
    ['Plain text', 'Plain text'],
    ['', ''],
    ['*a* _b_ **c**', '{i a} {i b} {b c}'],
    ['***a*** **b *c*** **d *e**', '{b {i a}} {b b {i c}} {b d *e}'],
    ['**a _b *c* d_**', '{b a {i b {i c} d}}'],
    ['(*a*), "**b**"!', '({i a}), "{b b}"!'],
    ['I accept the [terms](https://site.example/terms).', 'I accept the <https://site.example/terms|terms>.'],
    ['**[a *b*](http://a.example)**', '{b <http://a.example|a {i b}>}'],
    ['[Write](mailto:me@a.example?subject=Hi)', '<mailto:me@a.example?subject=Hi|Write>'],
    ['[a](HTTPS://a.example/b_(c)_d)', '<HTTPS://a.example/b_(c)_d|a>'],
    ['[see [a](https://a.example)', '[see <https://a.example|a>'],
    ['[a [b] c](https://a.example)', '<https://a.example|a [b] c>'],
    // A link contains no link.
    ['[a [b](https://b.example) c](https://a.example)', '[a <https://b.example|b> c](https://a.example)'],
    ['a\nb\r\nc\rd', 'a/b/c/d'],
    ['- a\n1. b', '- a/1. b'],
  ])('%j is %s', (text, expected) => {
    expect(shown(parseInline(text))).toBe(expected);
  });

  it.each([
    // Words, sums and lines to write on.
    ...[
      'Teilnehmer*innen und Helfer*innen',
      'first_name_of_child',
      '__proto__',
      '2 * 3 * 4',
      'Name *',
      '(____) (____)',
    ],
    ...['*a', 'a*', '**a*b', '_a *', '* a *', '[a]', '[a](', '[](https://a.example)', '[ ] yes'],
    // Other addresses.
    ...['[a](javascript:alert(1))', '[a](data:text/html,b)', '[a](/terms)', '[a](//a.example)', '[a](#b)'],
    ...[
      '[a](java\u0000script:b)',
      '[a](https://a.example "b")',
      '[a](https://a\u202e.example)',
      '[a](ftp://a)',
    ],
    ...['[a]( https://a.example)', '[a](https ://a)', '![a](x.png)', '[a][b]', '<b>a</b>', '&lt;', '`a`'],
  ])('is not in %j', (text) => {
    expect(shown(parseInline(text))).toBe(text);
    expect(plainText(text)).toBe(text);
  });

  it.each([
    [
      String.raw`\*a\* \[b](https://a.example) c:\d \\`,
      String.raw`*a* [b](https://a.example) c:\d \ `.trim(),
    ],
    ['**a\n[b](https://b.example)** 1\\. c', 'a b 1. c'],
  ])('is missing in the plain text of %j', (text, expected) => {
    expect(plainText(text)).toBe(expected);
  });
});

describe('the markup of a description', () => {
  it.each([
    ['', ''],
    ['a\nb', '(p a/b)'],
    ['a *b\n\n\nc* d', '(p a *b)(p c* d)'],
    ['Bring:\n- a\n* *b*\n  c\nd', '(p Bring:)(ul (li a)(li {i b}/  c))(p d)'],
    ['- a\n\n  - b\n\nc', '(ul (li a)(li b))(p c)'],
    ['1. a\n1. b\n- c', '(ol1 (li a)(li b))(ul (li c))'],
    ['3. a\n4. b', '(ol3 (li a)(li b))'],
    ['The event is in\n2026. Come!\n1. a', '(p The event is in/2026. Come!)(ol1 (li a))'],
    ['-a\n-\n1.b\n**a** b', '(p -a/-/1.b/{b a} b)'],
  ])('%j is %s', (text, expected) => {
    expect(shown(parseMarkup(text))).toBe(expected);
  });
});

/** Texts with many marks, which random texts do not have. */
const ODD_PARTS = [
  ...['*', '**', '_', '__', '[', ']', '](', ')', '(', '\\', '\n', '\n- ', '\n1. ', ' ', 'a', 'é', '𝒜', '5'],
  ...[
    '](https://a.example)',
    '](mailto:b)',
    '[c](https://d)',
    '](javascript:c)',
    'https://',
    '<script>',
    '"',
    '\u0000',
    '\u202e',
  ],
];
const oddText = fc.array(
  fc.oneof(fc.constantFrom(...ODD_PARTS), fc.string({ unit: 'binary', maxLength: 3 })),
);

describe('whatever the text is, its pieces', () => {
  const all = (pieces: readonly Piece[], depth = 1): { piece: Piece; depth: number }[] =>
    pieces.flatMap((piece) => [
      { piece, depth },
      ...('content' in piece ? all(piece.content, depth + 1) : []),
    ]);
  const lettersOf = (text: string) =>
    text
      .match(/[\p{L}\p{M}]/gu)
      ?.sort()
      .join('') ?? '';

  it('have only links to http, https and mailto, keep all letters, and are nested at most 7 levels deep', () => {
    let links = 0;
    fc.assert(
      fc.property(oddText, (parts) => {
        const text = parts.join('');
        for (const [parse, most] of [
          [parseInline, 5],
          [parseMarkup, 7],
        ] as const) {
          const found = all(parse(text));
          for (const { piece, depth } of found) {
            expect(depth).toBeLessThanOrEqual(most);
            if (piece.kind !== 'link') continue;
            links += 1;
            expect(piece.href).toMatch(/^(?:https?:\/\/|mailto:)[^\s<>"]*$/i);
            expect(['http:', 'https:', 'mailto:']).toContain(new URL(piece.href, 'x-page:/').protocol);
            expect(all(piece.content).some((one) => one.piece.kind === 'link')).toBe(false);
          }
          const kept = found.map(({ piece }) =>
            piece.kind === 'text' ? piece.text : piece.kind === 'link' ? piece.href : '',
          );
          expect(lettersOf(kept.join(''))).toBe(lettersOf(text));
        }
        expect(plainText(text)).not.toContain('\n');
      }),
      { numRuns: 3000 },
    );
    expect(links).toBeGreaterThan(10);
  });

  it('are the text itself, if it has no marks', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[^*_[\]\\\r\n]*$/), (text) => {
        expect(parseInline(text)).toEqual(text === '' ? [] : [{ kind: 'text', text }]);
      }),
    );
  });

  // A parser that is slower than linear takes minutes of CPU time.
  it.each([
    ...[
      '[',
      ']',
      '*',
      '_',
      '**',
      ' *a',
      'a* ',
      ' **a',
      '*_',
      '[*',
      '[ *a ',
      '](',
      '[a](',
      '\\',
      '\n',
      '- a\n',
    ],
    ...[
      '[a](https://',
      '[a](https://a',
      '[a](https://(b)',
      '](https://a',
      '[a](https://a(',
      '[a](https://b)',
    ],
    ...[
      '[](https://a(b)',
      '*a [b* c](https://d) ',
      ' ',
      '\t',
      '1. ',
      '\n\n',
      '-  ',
      '***a',
      'a***',
      ' _a *b ',
    ],
  ])('are found in time proportional to the length: %j', (part) => {
    const text = part.repeat(2 ** 17 / part.length);
    const before = process.cpuUsage();
    for (const hostile of [text, `[*${text}*](https://a.example)`]) parseMarkup(hostile);
    expect(process.cpuUsage(before).user).toBeLessThan(5_000_000);
  });
});
