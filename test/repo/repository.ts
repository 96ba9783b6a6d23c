import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const ROOT = path.resolve(__dirname, '../..');

export const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

/** Returns the paths of all files below a folder, relative to it. */
export const filesIn = (folder: string): string[] =>
  readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll(path.sep, '/'))
    .filter((name) => !/(^|\/)(node_modules|dist)(\/|$)/.test(name));

/** The text of the section below a heading of second order. */
export const sectionOf = (page: string, heading: string): string =>
  page.split('\n## ').find((text) => text.startsWith(`${heading}\n`)) ?? '';

/** The pages of the contract. The first has the tables of codes. */
export const CONTRACT = ['docs/contract.md', 'docs/contract/forms.md', 'docs/contract/submissions.md'];

/** The ids of the rules that a page of the contract states, such as S7, each behind its anchor. */
export const rulesIn = (page: string): string[] =>
  [...page.matchAll(/^- <a id="(\w+)"><\/a>\*\*([A-Z]\d+)\*\* /gm)]
    .filter(([, anchor, rule = '']) => anchor === rule.toLowerCase())
    .map(([, , rule = '']) => rule);

/** The anchors of a Markdown page: those of its headings, as GitHub derives them, and those that it writes. */
export const anchorsIn = (page: string): string[] => [
  ...[...page.replace(/^ *```.*?^ *```/gms, '').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  ),
  ...[...page.matchAll(/<a id="([^"]+)"><\/a>/g)].map(([, anchor = '']) => anchor),
];

/** The links of a Markdown page to files of the repository and to anchors, each with the path of its file. */
export const linksIn = (file: string, page: string) =>
  [...page.replace(/^ *```.*?^ *```/gms, '').matchAll(/\[([^\]]*)\]\((?!\w+:)([^)#]*)#?([^)]*)\)/g)].map(
    ([, text = '', target = '', anchor = '']) => ({
      text,
      target: target === '' ? file : path.posix.join(path.posix.dirname(file), target),
      anchor,
    }),
  );
