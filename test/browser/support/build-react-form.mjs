// Bundles the forms of clients/react/README.md into a folder for each version. Arguments: <output folder> <service URL> <react | react-18>...
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const [, , folder, url, ...versions] = process.argv;
const root = fileURLToPath(new URL('../../../', import.meta.url));
const sourcesOf = (name) => path.join(root, `clients/${name}/src/index.ts`);

const readme = readFileSync(path.join(root, 'clients/react/README.md'), 'utf8');
const [question, form, filePart, publicForm] = Array.from(
  readme.matchAll(/```tsx\n(.*?)```/gs),
  ([, code]) => code,
);
mkdirSync(folder, { recursive: true });
writeFileSync(path.join(folder, 'question.tsx'), question.replace('http://127.0.0.1:3000', url));
writeFileSync(path.join(folder, 'form.tsx'), form.replace('https://forms.example.org', url));
writeFileSync(path.join(folder, 'file-part.tsx'), filePart);
writeFileSync(path.join(folder, 'public-form.tsx'), publicForm.replace('https://forms.example.org', url));
writeFileSync(
  path.join(folder, 'languages.tsx'),
  `import { FormtrailClient } from 'formtrail-client';
import { useFormtrail } from 'formtrail-react';
import { useState } from 'react';

const client = new FormtrailClient({ url: '${url}', token: () => sessionStorage.token });

export function Languages({ slug }: { slug: string }) {
  const [locale, setLocale] = useState('ar');
  const { draft, ...form } = useFormtrail(slug, { client, locale });
  if (form.status !== 'open') return <p>{form.status}</p>;
  const [question] = form.step?.blocks ?? [];
  return (
    <>
      <button onClick={() => setLocale('de')}>Deutsch</button>
      <label>
        {question?.kind === 'question' && question.field.label}
        <input value={form.values['name'] ?? ''} onChange={(e) => draft.change('name', e.target.value)} />
      </label>
      <output>{form.saving.kind}</output>
    </>
  );
}
`,
);
writeFileSync(
  path.join(folder, 'main.tsx'),
  `import { StrictMode } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { Form } from './form';
import { Languages } from './languages';
import { PublicForm } from './public-form';
import { Email } from './question';

const [[name, slug]] = new URLSearchParams(location.search);
const app = document.getElementById('app')!;
if (name === 'form') hydrateRoot(app, <StrictMode><Form slug={slug} /></StrictMode>);
else {
  const page = { question: <Email />, languages: <Languages slug={slug} /> }[name] ?? <PublicForm slug={slug} />;
  createRoot(app).render(<StrictMode>{page}</StrictMode>);
}
`,
);
// Imitates the HTML that a server renders.
writeFileSync(
  path.join(folder, 'index.html'),
  '<!doctype html><html lang="en"><title>Form</title><link rel="icon" href="data:,"><div id="app"><p>loading</p></div><script type="module" src="./main.tsx"></script></html>',
);
for (const react of versions)
  await build({
    configFile: false,
    root: folder,
    base: './',
    build: { outDir: react, emptyOutDir: false },
    logLevel: 'warn',
    // Only development builds of React print warnings on the console.
    mode: 'development',
    define: { 'process.env.NODE_ENV': '"development"' },
    oxc: { jsx: { runtime: 'automatic' } },
    resolve: {
      alias: [
        { find: 'formtrail-client', replacement: sourcesOf('typescript') },
        {
          find: /^formtrail-session\/(inputs|languages|markup|resume-link|sentences(?:\/\w+)?)$/,
          replacement: path.join(root, 'clients/session/src/$1.ts'),
        },
        { find: 'formtrail-session', replacement: sourcesOf('session') },
        { find: 'formtrail-react', replacement: sourcesOf('react') },
        { find: /^react(?=$|\/)/, replacement: path.join(root, 'node_modules', react) },
        {
          find: /^react-dom(?=$|\/)/,
          replacement: path.join(root, 'node_modules', react.replace('react', 'react-dom')),
        },
      ],
    },
  });
