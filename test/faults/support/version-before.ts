import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';

/**
 * Upgrades are rehearsed from the commit that added this file, the baseline of the migrations. After a release, rehearse from its tag.
 * The version runs with the current dependencies.
 */
const BASELINE = 'src/migrations/0001-core.ts';
const ROOT = path.resolve(__dirname, '../../..');
/** The sources, and the files that they read, where they stood in that commit. */
const PARTS = ['src', 'package.json', 'form-definition.schema.json'];

export interface Version {
  readonly directory: string;
  readonly main: string;
  readonly cli: string;
}

/** Exports the previous version from the Git history, and compiles each file without type checks. */
export async function buildVersionBefore(): Promise<Version> {
  const directory = await mkdtemp(path.join(tmpdir(), 'formtrail-before-'));
  const archive = path.join(directory, 'archive.tar');
  await git('archive', '--format=tar', `--output=${archive}`, await baseline(), ...PARTS);
  await run('tar', ['-xf', archive, '-C', directory]);
  await symlink(path.join(ROOT, 'node_modules'), path.join(directory, 'node_modules'));
  await compile(path.join(directory, 'src'), path.join(directory, 'dist/src'));
  const program = (name: string) => path.join(directory, 'dist/src', name);
  return { directory, main: program('main.js'), cli: program('cli.js') };
}

async function baseline(): Promise<string> {
  if ((await git('rev-parse', '--is-shallow-repository')) === 'true')
    throw new Error(
      'This clone does not have the commits from which upgrades are rehearsed. Run "git fetch --unshallow".',
    );
  return git('log', '-1', '--diff-filter=A', '--format=%H', '--', BASELINE);
}

async function compile(from: string, to: string): Promise<void> {
  const names = await readdir(from, { recursive: true });
  for (const name of names.filter((each) => each.endsWith('.ts') && !each.endsWith('.spec.ts'))) {
    const { outputText } = ts.transpileModule(await readFile(path.join(from, name), 'utf8'), {
      compilerOptions: {
        target: ts.ScriptTarget.ES2023,
        module: ts.ModuleKind.ESNext,
        experimentalDecorators: true,
        emitDecoratorMetadata: true,
        useDefineForClassFields: false,
      },
    });
    const target = path.join(to, name.replace(/ts$/, 'js'));
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, outputText);
  }
}

async function git(...words: readonly string[]): Promise<string> {
  return (await run('git', words)).stdout.trim();
}

function run(file: string, args: readonly string[]): Promise<{ stdout: string }> {
  return promisify(execFile)(file, args, { cwd: ROOT });
}
