import { filesIn, read } from './repository.js';

/** Programs that are not TypeScript, so no compiler checks what they import from the built service. */
const programs = ['bench', 'examples', 'scripts', 'test'].flatMap((folder) =>
  filesIn(folder)
    .filter((file) => file.endsWith('.mjs'))
    .map((file) => `${folder}/${file}`),
);

const imports = programs.flatMap((program) =>
  [
    ...read(program).matchAll(
      /\{([^{}]+)\}\s*(?:from|=\s*await import\()\s*'[./]+\/dist\/(src\/[^']+)\.js'/g,
    ),
  ].flatMap(([, names = '', module = '']) =>
    names.split(',').map((name) => ({ program, name: name.trim(), module: `${module}.ts` })),
  ),
);

it.each(imports)('$program finds $name in $module', ({ name, module }) => {
  expect(read(module)).toMatch(
    new RegExp(`^export ((async )?(class|const|function) |\\{[^}]*\\b)${name}\\b`, 'm'),
  );
});
