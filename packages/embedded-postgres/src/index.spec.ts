import { mkdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { EmbeddedPostgresError } from './index.js';
import { embeddedServers, query, serverRuns } from './testing.js';

const { freshDirectory, open } = embeddedServers();

it('creates the database at the first start, runs until the last release, and finds the stored rows at the next start', async () => {
  const dataDir = await freshDirectory('o\'dd, "näme" ');
  const sentences: string[] = [];
  const onProgress = (sentence: string): number => sentences.push(sentence);
  const first = await open(dataDir, { onProgress });
  const settings = await query(
    first.connection,
    `select current_database() as name, current_user as role, lower('ÄÖ') as lower,
            current_setting('server_encoding') as encoding, current_setting('TimeZone') as zone,
            current_setting('fsync') as fsync, current_setting('listen_addresses') as addresses`,
  );
  expect(settings).toEqual([
    {
      ...{ name: 'formtrail', role: 'formtrail', lower: 'äö', encoding: 'UTF8', zone: 'UTC' },
      ...{ fsync: 'on', addresses: '' },
    },
  ]);
  const modes = [dataDir, first.connection.host].map(async (place) => (await stat(place)).mode & 0o777);
  expect(await Promise.all(modes)).toEqual([0o700, 0o700]);

  const joined = await open(dataDir);
  await query(first.connection, 'create table kept as select 42 as answer');
  await first.release();
  await first.release();
  expect(await query(joined.connection, 'select answer from kept')).toEqual([{ answer: 42 }]);
  await joined.release();
  expect(await serverRuns(dataDir)).toBe(false);

  // The server also listens on the configured port of the loopback, with a password.
  const second = await open(dataDir, { onProgress, port: 0 });
  const { port, host } = second.connection;
  expect(host).toBe(path.join(dataDir, 'postgres'));
  expect(second.url).toContain(`@127.0.0.1:${port}/`);
  expect(await query(second.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
  const guessed = new URL(second.url);
  guessed.password = 'guessed';
  await expect(query(guessed.href, 'select 1')).rejects.toThrow('password authentication failed');
  expect([(await open(dataDir, { port })).url, (await open(dataDir)).url]).toEqual([second.url, second.url]);
  await expect(open(dataDir, { port: 1 })).rejects.toThrow('does not listen on port 1. Stop');
  const other = await freshDirectory();
  await expect(open(other, { port })).rejects.toThrow(/EADDRINUSE.* Set another DATABASE_PORT/);

  expect(sentences).toEqual([
    `Creating the database in ${dataDir} (first start)`,
    'Starting the database',
    'Starting the database',
  ]);
});

it.each([
  ['of another version', 'PG_VERSION', '17\n', /created by PostgreSQL 17, but this is 18/],
  ['with other files', 'notes.txt', '', /has files that are not a PostgreSQL database/],
])('rejects a data directory %s', async (_, name, text, sentence) => {
  const dataDir = await freshDirectory();
  await mkdir(path.join(dataDir, 'postgres'), { recursive: true });
  await writeFile(path.join(dataDir, 'postgres', name), text);
  const rejected = open(dataDir);
  await expect(rejected).rejects.toThrow(sentence);
  await expect(rejected).rejects.toBeInstanceOf(EmbeddedPostgresError);
});
