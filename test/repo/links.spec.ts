import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { anchorsIn, linksIn, read, ROOT } from './repository.js';

const pages = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '*.md'], {
  cwd: ROOT,
})
  .toString()
  .split('\0')
  .filter((name) => name !== '' && existsSync(path.join(ROOT, name)));
const BLOB = 'https://github.com/formtrail/formtrail/blob/main/';

it.each(pages)('each link leads to a file and a heading of the repository: %s', (name) => {
  // Pages of packages link to GitHub, because npm shows them without the repository.
  const page = read(name).replaceAll(BLOB, `${path.relative(path.dirname(name), '.') || '.'}/`);
  const broken = linksIn(name, page).filter(
    ({ target, anchor }) =>
      !existsSync(path.join(ROOT, target)) ||
      (anchor !== '' && target.endsWith('.md') && !anchorsIn(read(target)).includes(anchor)),
  );
  expect(broken).toEqual([]);
});
