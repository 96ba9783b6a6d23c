import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createProgram } from '../src/cli/program.js';

const ROOT = path.resolve(__dirname, '..');
const page = readFileSync(path.join(ROOT, 'docs/command-line.md'), 'utf8');
const [, section = ''] = /^## Commands$(.*?)^## /ms.exec(page) ?? [];

const commands = createProgram(ROOT).commands.flatMap((group) =>
  group.commands.length === 0
    ? [group.name()]
    : group.commands.map((command) => `${group.name()} ${command.name()}`),
);
const listed = section
  .split('\n')
  .flatMap((row) => [...(row.split(' | ')[0] ?? '').matchAll(/`([^`]+)`/g)])
  .map(([, usage = '']) => usage.replace(/ (\[|--|[A-Z]).*$/, ''));

it('docs/command-line.md lists every command, and no others', () => {
  expect(listed.toSorted()).toEqual([...commands, '--version'].toSorted());
});
