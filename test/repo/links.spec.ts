import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { filesIn, read, ROOT } from './repository.js';

const pages = [
  ...readdirSync(ROOT),
  ...['bench', 'clients', 'deploy', 'docs', 'examples', 'packages'].flatMap((folder) =>
    filesIn(folder).map((name) => `${folder}/${name}`),
  ),
].filter((name) => name.endsWith('.md'));

const withoutCode = (text: string) => text.replace(/^ *```.*?^ *```/gms, '').replace(/`[^`\n]*`/g, 'code');

/** The anchors of a page: its headings, as GitHub names them, and its elements with an id. */
function anchorsOf(page: string): string[] {
  const text = read(page).replace(/^ *```.*?^ *```/gms, '');
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-'),
  );
  return [...headings, ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)];
}

it.each(pages)('%s links only to files and headings that exist', (page) => {
  const links = [...withoutCode(read(page)).matchAll(/\]\((?!\w+:)([^)\s]*)\)/g)];
  const broken = links
    .map(([, link = '']) => link)
    .filter((link) => {
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? page : path.posix.join(path.posix.dirname(page), file);
      if (!existsSync(path.join(ROOT, target))) return true;
      return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).includes(anchor);
    });
  expect(broken).toEqual([]);
});
