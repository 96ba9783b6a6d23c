import ts from 'typescript';
import { filesIn, read } from './repository.js';

const PAGE = 'docs/security-claims.md';
const page = read(PAGE);

/** Rows of the tables of claims. The proof is a link: its text is the title of a test, its target the spec file. */
const claims = [...page.matchAll(/^\| (.+) \| \[(.+)\]\(\.\.\/(\S+)\) \|$/gm)].map(
  ([, claim = '', proof = '', file = '']) => ({ claim, proof, file }),
);

/**
 * Returns the titles of the tests and groups of tests in a spec file, after the titles of the groups around them, as Jest
 * prints them. "…" stands for what differs between the cases of a test.
 */
function titlesIn(file: string): string[] {
  const titles: string[] = [];
  const visit = (node: ts.Node, groups: string): void => {
    let inside = groups;
    if (
      ts.isCallExpression(node) &&
      /^(describe|it|onOneServer|itOnOneServer)\b/.test(node.expression.getText())
    ) {
      const [title] = node.arguments;
      if (title && (ts.isStringLiteralLike(title) || ts.isTemplateExpression(title))) {
        const text = title.getText().slice(1, -1);
        inside = `${groups} ${text.replace(/\$\{[^}]*\}|\$\w+|%(\.\d+)?[sdj]/g, '…')}`.trim();
        titles.push(inside);
      }
    }
    ts.forEachChild(node, (child) => {
      visit(child, inside);
    });
  };
  visit(ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true), '');
  return titles;
}

it(`every row of a table in ${PAGE} has a claim and a link to its proof`, () => {
  const rows = page.split('\n').filter((line) => /^\|(?! Claim \| | ---)/.test(line));
  expect(rows.length).toBeGreaterThan(30);
  expect(claims).toHaveLength(rows.length);
});

describe.each([...new Set(claims.map(({ file }) => file))])('%s', (file) => {
  // The page may begin a title with a capital letter.
  const withoutCapital = (title: string) => title.charAt(0).toLowerCase() + title.slice(1);
  const titles = titlesIn(file).map(withoutCapital);

  it.each(claims.filter((one) => one.file === file))('proves: $claim', ({ proof }) => {
    expect(titles).toContain(withoutCapital(proof));
  });

  it('skips no test', () => {
    expect(read(file)).not.toMatch(/\b(it|describe)\.(skip|todo|only|failing)|\bx(it|describe)\b/);
  });
});

it('every quick spec file in test/security proves a claim', () => {
  const quick = filesIn('test/security').filter((name) => /(?<!\.long)\.spec\.ts$/.test(name));
  const claimed = claims.map(({ file }) => file);
  // The tests of other-users.spec.ts are in other-users.ts.
  const isClaimed = (name: string) => claimed.includes(`test/security/${name}`);
  expect(quick.filter((name) => !isClaimed(name) && !isClaimed(name.replace('.spec', '')))).toEqual([]);
});
