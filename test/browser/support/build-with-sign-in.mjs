// Builds examples/renderer with the `main.tsx` of its README. Argument: <output folder>.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const [, , outDir] = process.argv;
const root = fileURLToPath(new URL('../../../examples/renderer/', import.meta.url));
const [, main] = /```tsx\n(.*?)```/s.exec(readFileSync(path.join(root, 'README.md'), 'utf8'));
await build({
  root,
  logLevel: 'warn',
  plugins: [{ name: 'readme', load: (id) => (id === path.join(root, 'src/main.tsx') ? main : undefined) }],
  build: { outDir },
});
