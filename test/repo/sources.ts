import path from 'node:path';
import { filesIn, read } from './repository.js';

export interface Import {
  /** A file below src/, or the name of a package. */
  readonly target: string;
  readonly isLocal: boolean;
  /** True for `import type`, which compilation removes. */
  readonly isType: boolean;
  /** True for a dynamic `import()`, which loads its target only when the code runs. */
  readonly isLazy: boolean;
}

/** Matches import statements, not imports in comments or strings. */
const IMPORTS =
  /^\s*(?:import|export)\s+(type\s)?(?:[\w*{}\s,$]+?\sfrom\s+)?'([^']+)'|\bimport\('([^']+)'\)|\brequire\('([^']+)'\)/gm;

function importsIn(text: string, file: string): Import[] {
  return [...text.matchAll(IMPORTS)].map(([, type, ...specifiers]) => {
    const specifier = (specifiers as (string | undefined)[]).find((found) => found !== undefined) ?? '';
    const isLocal = specifier.startsWith('.');
    const target = isLocal
      ? path.posix.join(path.posix.dirname(file), specifier).replace(/\.js$/, '.ts')
      : specifier;
    return { target, isLocal, isType: Boolean(type), isLazy: specifiers[1] !== undefined };
  });
}

export const textOf = (file: string) => read(`src/${file}`);

/** The imports of each source file, by the file's path below src/. Excludes test files. */
export const sources = new Map(
  filesIn('src')
    .filter((name) => /(?<!\.spec)\.ts$/.test(name))
    .map((file) => [file, importsIn(textOf(file), file)]),
);

/** Not the `index.ts` of a capability's entities, which also exports its migrations and functions for panels. */
export const isEntity = (file: string) => /(^|\/)entities\/(?!index\.)[^/]+\.ts$/.test(file);
export const isEngine = (file: string) => file.startsWith('conditions/engine/');
/** The name of the capability to which a file belongs. Empty for a file of the core. */
export const capabilityOf = (file: string) => /^capabilities\/([\w-]+)\//.exec(file)?.[1] ?? '';
/** Returns a sentence for each forbidden import by a file inside the boundary, in alphabetical order. */
export function breaches(
  inside: (file: string) => boolean,
  forbidden: (imported: Import, file: string) => boolean,
): string[] {
  const found = [...sources].flatMap(([file, imports]) =>
    imports
      .filter((imported) => inside(file) && forbidden(imported, file))
      .map(({ target }) => `${file} imports ${target}`),
  );
  return [...new Set(found)].toSorted();
}
