import { readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '..');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

it('docs/security.md lists every runtime dependency, and no other package', () => {
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
