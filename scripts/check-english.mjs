// Fails on sentences that are hard to read at first sight, in comments and documents. CONTRIBUTING.md says how to write instead.
// Arguments are files; without them, all files of the repository are checked.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = path.resolve(fileURLToPath(import.meta.url), '../..');
const SOURCE = /\.(ts|tsx|js|mjs|cjs)$/;
/** Words that must not begin a sentence, except a question. */
const OPENING = /^(Of|What (is|was|are|were)|Whoever|Who|Whose|As|That|So)\b(?!.*\?$)/;
const WORDS = /\b(whoever|whatever|one that|such as (are|is|have|has))\b/i;

const files = (process.argv.length > 2 ? process.argv.slice(2) : filesOfRepository()).filter(
  (name) => (name.endsWith('.md') || SOURCE.test(name)) && existsSync(path.join(root, name)),
);
let count = 0;
for (const name of files) {
  const text = readFileSync(path.join(root, name), 'utf8');
  for (const { line, block } of name.endsWith('.md') ? documentBlocks(text) : commentBlocks(name, text))
    for (const sentence of sentences(block)) {
      const found = OPENING.exec(sentence) ?? WORDS.exec(sentence);
      if (found === null) continue;
      count += 1;
      process.stderr.write(`${name}:${line}: "${found[0]}" in: ${sentence}\n`);
    }
}
if (count > 0) {
  process.stderr.write(
    `${count} sentences to rewrite: subject first, then the verb (CONTRIBUTING.md, "How we write").\n`,
  );
  process.exitCode = 1;
}

function filesOfRepository() {
  const options = ['-z', '--cached', '--others', '--exclude-standard'];
  return execFileSync('git', ['ls-files', ...options], { cwd: root })
    .toString()
    .split('\0');
}

/** Returns the paragraphs, headings, list items and table cells of a Markdown document, without code. */
function documentBlocks(text) {
  const blocks = [];
  let isCode = false;
  let open;
  for (const [index, line] of text.split('\n').entries()) {
    const trimmed = line.trim();
    if (trimmed.startsWith('```')) isCode = !isCode;
    if (isCode || trimmed === '' || trimmed.startsWith('```')) {
      open = undefined;
    } else if (trimmed.startsWith('|')) {
      open = undefined;
      blocks.push(...trimmed.split(/(?<!\\)\|/).map((cell) => ({ line: index + 1, block: cell })));
    } else {
      const [, mark, rest] = /^((?:[-*+>]|#+|\d+\.)\s+)*(.*)$/.exec(trimmed);
      if (open === undefined || mark !== undefined) blocks.push((open = { line: index + 1, block: rest }));
      else open.block += ` ${rest}`;
    }
  }
  return blocks;
}

/** Returns the comments of a source file. Line comments on consecutive lines form one comment. */
function commentBlocks(name, text) {
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  const ranges = new Map();
  const visit = (node) => {
    if (node.kind === ts.SyntaxKind.JsxText) return;
    for (const range of [
      ...(ts.getLeadingCommentRanges(text, node.pos) ?? []),
      ...(ts.getTrailingCommentRanges(text, node.end) ?? []),
    ])
      ranges.set(range.pos, range);
    for (const child of node.getChildren(source)) visit(child);
  };
  visit(source);
  const blocks = [];
  let end = -1;
  for (const range of [...ranges.values()].sort((a, b) => a.pos - b.pos)) {
    const block = text
      .slice(range.pos, range.end)
      .replace(/^\/\*+|\*+\/$/g, '')
      .replace(/^\s*(\/\/|\*)/gm, '')
      .replace(/\s*\n\s*/g, (gap) => (gap.split('\n').length > 2 ? '\n' : ' '));
    const isSameComment =
      range.kind === ts.SyntaxKind.SingleLineCommentTrivia &&
      /^\s*$/.test(text.slice(end, range.pos)) &&
      end >= 0;
    if (
      isSameComment &&
      !text.slice(end, range.pos).trim() &&
      text.slice(end, range.pos).split('\n').length === 2
    )
      blocks.at(-1).block += ` ${block}`;
    else blocks.push({ line: text.slice(0, range.pos).split('\n').length, block });
    end = range.end;
  }
  return blocks;
}

function sentences(block) {
  return block
    .split(/(?<=[.!?]["')`*]*)\s+(?=["'(`*]*[A-Z`])|\n|\s@\w+\s/)
    .map((sentence) => sentence.trim().replace(/^["'(*]+/, ''));
}
