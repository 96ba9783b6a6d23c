import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';

/** The programs' full paths in Debian, because /usr/sbin may be missing from PATH. */
const PROGRAMS = {
  patroni: '/usr/bin/patroni',
  etcd: '/usr/bin/etcd',
  haproxy: '/usr/sbin/haproxy',
  pgbouncer: '/usr/sbin/pgbouncer',
} as const;
const POSTGRES_VERSIONS = '/usr/lib/postgresql';

export const programs = PROGRAMS;

/** The program directory of the newest PostgreSQL, or undefined if none is installed. */
export const postgresPrograms = findPostgres();

function findPostgres(): string | undefined {
  const versions = existsSync(POSTGRES_VERSIONS) ? readdirSync(POSTGRES_VERSIONS) : [];
  return versions
    .sort((one, other) => Number(other) - Number(one))
    .map((version) => path.join(POSTGRES_VERSIONS, version, 'bin'))
    .find((directory) => existsSync(path.join(directory, 'postgres')));
}

/** `describe`, or `describe.skip` if a program is missing. Throws instead of skipping if CI=true. */
export const describeOnCluster = missing().length === 0 ? describe : skipping();

function missing(): string[] {
  const names = Object.entries(PROGRAMS).flatMap(([name, file]) => (existsSync(file) ? [] : [name]));
  return postgresPrograms === undefined ? [...names, 'postgresql'] : names;
}

function skipping(): typeof describe.skip {
  const file = path.relative('.', expect.getState().testPath ?? '');
  const why =
    `${file} needs Debian's packages, and here is no ${missing().join(' and no ')}. ` +
    'Install them: apt-get install patroni etcd-server haproxy pgbouncer postgresql';
  if (process.env['CI'] === 'true') throw new Error(why);
  process.stderr.write(`Skipped: ${why}\n`);
  return describe.skip;
}
