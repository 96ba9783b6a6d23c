import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

const ROOT = path.resolve(__dirname, '../..');
const INSTALLED = path.join(ROOT, 'node_modules');

/** A program that runs recipes. It reads one JSON line per call, and prints one JSON line per outcome. */
const RUN = `
import { createInterface } from 'node:readline';
import * as recipes from './recipes.js';

await recipes.dataSource.initialize();
for await (const line of createInterface({ input: process.stdin })) {
  const { name, words } = JSON.parse(line);
  const outcome = await recipes[name](...words).then(
    (result) => ({ result }),
    (error) => ({ refusedBy: recipes.refusedBy(error) ?? String(error) }),
  );
  console.log(JSON.stringify(outcome));
}
await recipes.dataSource.destroy();
`;

/** Returns the joined code blocks of a documentation page in one language. */
export async function codeOf(page: string, language: string): Promise<string> {
  return (await blocksOf(page, language)).join('\n');
}

export async function blocksOf(page: string, language: string): Promise<string[]> {
  const text = await readFile(path.join(ROOT, page), 'utf8');
  const blocks = text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'));
  return Array.from(blocks, ([, code = '']) => code);
}

export interface Project {
  readonly directory: string;
  readonly type: 'module' | 'commonjs';
  readonly tarball: string;
}

/**
 * Creates a project as another team would, with the package from its tarball. The dependencies are linked from
 * this checkout: the test needs no network, and the package finds only the dependencies that it declares.
 */
export async function install({ directory, type, tarball }: Project): Promise<void> {
  const modules = path.join(directory, 'node_modules');
  const entities = path.join(modules, 'formtrail-entities');
  await mkdir(entities, { recursive: true });
  await mkdir(path.join(modules, '@types'));
  await promisify(execFile)('tar', ['-xzf', tarball, '-C', entities, '--strip-components=1']);
  for (const name of ['typeorm', 'pg', '@types/node']) {
    await symlink(path.join(INSTALLED, name), path.join(modules, name));
  }
  await writeFile(path.join(directory, 'package.json'), JSON.stringify({ type, private: true }));
}

/** Compiles the recipes in strict mode and checks the package's own declarations too. */
export async function compileRecipes(
  directory: string,
  recipes: string,
  resolution: 'nodenext' | 'bundler',
): Promise<void> {
  await writeFile(path.join(directory, 'recipes.ts'), recipes);
  const compilerOptions = {
    module: resolution === 'bundler' ? 'esnext' : resolution,
    moduleResolution: resolution,
    target: 'es2023',
    strict: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    types: ['node'],
  };
  await writeFile(
    path.join(directory, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['recipes.ts'] }),
  );
  const compiler = path.join(INSTALLED, 'typescript/bin/tsc');
  await promisify(execFile)(process.execPath, [compiler, '-p', directory]).catch((error: unknown) => {
    throw new Error((error as { stdout: string }).stdout);
  });
}

export interface Outcome {
  readonly result?: any;
  readonly refusedBy?: string;
}

/** A process of the project, which runs the recipes. */
export class Panel {
  private readonly lines: AsyncIterator<string>;
  private errors = '';

  private constructor(private readonly child: ChildProcess) {
    this.lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
    child.stderr!.on('data', (text: Buffer) => (this.errors += text.toString()));
  }

  static async start(directory: string, variables: Record<string, string>): Promise<Panel> {
    await writeFile(path.join(directory, 'run.mjs'), RUN);
    const env = { PATH: process.env['PATH'], ...variables };
    return new Panel(spawn(process.execPath, ['run.mjs'], { cwd: directory, env }));
  }

  async call(name: string, ...words: unknown[]): Promise<Outcome> {
    this.child.stdin!.write(`${JSON.stringify({ name, words })}\n`);
    const { value, done } = await this.lines.next();
    if (done) throw new Error(`The panel has ended: ${this.errors}`);
    return JSON.parse(value) as Outcome;
  }

  async end(): Promise<void> {
    if (this.child.exitCode !== null) return;
    const closed = once(this.child, 'close');
    this.child.stdin!.end();
    await closed;
  }
}
