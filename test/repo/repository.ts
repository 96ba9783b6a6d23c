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

/** The ids of the rules that the contract states, such as S7. */
export const rulesIn = (contract: string): string[] =>
  [...contract.matchAll(/^- \*\*([A-Z]\d+)\*\* /gm)].map(([, rule = '']) => rule);
