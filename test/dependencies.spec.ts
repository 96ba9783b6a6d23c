import { readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '..');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

it('every package that a running service can load is in the table of what is relied on, and no other is', () => {
  const { dependencies, optionalDependencies } = JSON.parse(read('package.json')) as Record<string, object>;
  const section = read('docs/security.md')
    .split('\n## ')
    .find((text) => text.startsWith('What we rely on'));
  const named = [...(section ?? '').matchAll(/^\| (`.+?) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`(.+?)`/g)].map(([, name]) => name),
  );
  const relied = [dependencies, optionalDependencies].flatMap((group) => Object.keys(group ?? {}));
  expect(named.sort()).toEqual(relied.sort());
});
