import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';

/**
 * The commit of the version from which upgrades are rehearsed: the last before migration 1795910400000. Update
 * it with each release. The version runs with the current dependencies. Packages that only it needs (`@nestjs/config`,
 * `@nestjs/typeorm`) are development dependencies until the next update.
 */
const COMMIT = 'eb4e9b2f2ec8c2fcf7710fe1c18633018b5e255d';
const ROOT = path.resolve(__dirname, '../../..');
/** The sources, and the files that they read. */
const PARTS = ['src', 'package.json', 'form-definition.schema.json'];

export interface Version {
  readonly directory: string;
  readonly main: string;
  readonly cli: string;
}

/** Exports the previous version from the Git history, and compiles each file without type checks. */
export async function buildVersionBefore(): Promise<Version> {
  const directory = await mkdtemp(path.join(tmpdir(), 'formtrail-before-'));
  await fetchCommit();
  const archive = path.join(directory, 'archive.tar');
  await run('git', ['archive', '--format=tar', `--output=${archive}`, COMMIT, ...PARTS]);
  await run('tar', ['-xf', archive, '-C', directory]);
  await symlink(path.join(ROOT, 'node_modules'), path.join(directory, 'node_modules'));
  await compile(path.join(directory, 'src'), path.join(directory, 'dist/src'));
  const program = (name: string) => path.join(directory, 'dist/src', name);
  return { directory, main: program('main.js'), cli: program('cli.js') };
}

/** Fetches the commit if it is missing, as in a shallow clone. */
async function fetchCommit(): Promise<void> {
  const isThere = () => run('git', ['cat-file', '-e', `${COMMIT}^{commit}`]).then(...BOTH);
  if (await isThere()) return;
  await run('git', ['fetch', '--quiet', '--depth=1', 'origin', COMMIT]).then(...BOTH);
  if (await isThere()) return;
  throw new Error(
    `This clone does not have the commit ${COMMIT}, from which upgrades are rehearsed. Run "git fetch --unshallow".`,
  );
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

const BOTH = [() => true, () => false] as const;

function run(file: string, args: readonly string[]): Promise<unknown> {
  return promisify(execFile)(file, args, { cwd: ROOT });
}
