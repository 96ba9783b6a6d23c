import { filesIn, read, sectionOf } from './repository.js';

const page = read('docs/security.md');

/** Rows of the page's tables of claims. The last cell names a spec file and a test in this file. */
const claims = [...page.matchAll(/^\| (.+) \| `(.+?)`: (.+) \|$/gm)].map(
  ([, claim = '', file = '', title = '']) => ({
    claim,
    file: file.includes('/') ? file : `test/security/${file}.spec.ts`,
    title,
  }),
);

it('every row of the tables of claims in docs/security.md names a test', () => {
  const rows = sectionOf(page, 'What we claim')
    .split('\n')
    .filter((line) => /^\|(?! Claim| ---)/.test(line));
  expect(rows.length).toBeGreaterThan(30);
  expect(claims).toHaveLength(rows.length);
});

it.each(claims)('a test proves: $claim ($file)', ({ file, title }) => {
  const source = read(file).replaceAll(/\(\s+/g, '(');
  const quoted = [`('${title}',`, `("${title}",`, `(\`${title}\`,`];
  expect(quoted.some((text) => source.includes(text))).toBe(true);
  expect(source).not.toMatch(/\b(it|describe)\.(skip|todo|only|failing)|\bx(it|describe)\b/);
});

it('every quick spec file in test/security proves a claim', () => {
  const quick = filesIn('test/security').filter((name) => /(?<!\.long)\.spec\.ts$/.test(name));
  const claimed = claims.map(({ file }) => file);
  // The tests of other-users.spec.ts are in other-users.ts.
  const isClaimed = (name: string) => claimed.includes(`test/security/${name}`);
  expect(quick.filter((name) => !isClaimed(name) && !isClaimed(name.replace('.spec', '')))).toEqual([]);
});
