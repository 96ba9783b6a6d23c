import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '../..');
const document = readFileSync(path.join(ROOT, 'docs/security.md'), 'utf8');

interface Claim {
  readonly claim: string;
  readonly file: string;
  readonly title: string;
}

/** Rows of the page's tables of claims. The last cell names a test file and a test in this file. */
const claims = [...document.matchAll(/^\| (.+) \| `(.+?)`: (.+) \|$/gm)].map(
  ([, claim = '', file = '', title = '']): Claim => ({
    claim,
    file: file.includes('/') ? file : `test/security/${file}.spec.ts`,
    title,
  }),
);

function sourceOf(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8');
}

it('every row of the tables of claims names a test', () => {
  const section = document.split('\n## ').find((text) => text.startsWith('What we claim')) ?? '';
  const rows = section.split('\n').filter((line) => /^\|(?! Claim| ---)/.test(line));
  expect(rows.length).toBeGreaterThan(30);
  expect(claims).toHaveLength(rows.length);
});

it.each(claims)('a test proves: $claim', ({ file, title }) => {
  const source = sourceOf(file);
  const quoted = [`'${title}'`, `"${title}"`, `\`${title}\``];
  expect(quoted.some((text) => source.includes(`(${text},`) || source.includes(`(\n    ${text},`))).toBe(
    true,
  );
  expect(source).not.toMatch(/\b(it|describe)\.(skip|todo|only|failing)|\bx(it|describe)\b/);
});

it('every spec file in this folder proves a claim', () => {
  const files = readdirSync(__dirname).map((name) => `test/security/${name}`);
  const unclaimed = files.filter((name) => !claims.some(({ file }) => file === name));
  expect(unclaimed).toEqual(['test/security/claims.spec.ts']);
});
