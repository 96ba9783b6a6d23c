import { tmpdir } from 'node:os';
import type { DataSource } from 'typeorm';
import { FIND_LATE_DELETIONS } from '../src/files/file.statements.js';
import { OUTBOX_STATE, RELAY } from '../src/webhooks/webhook.statements.js';
import { etagOf, TIMESTAMP } from './support/answers.js';
import { commandLine } from './support/command-line.js';
import { onOneServer } from './support/it-on-one-server.js';
import { inOwnDatabase } from './support/own-database.js';
import { asAnotherProgram } from './support/test-server.js';
import { fillTimestamps, MAY_BE_INFINITE, TIMESTAMP_COLUMNS } from './support/timestamps.js';

onOneServer('with timestamps that ISO 8601 cannot write, in a database without the checks,', () => {
  const FIRST = '0001-01-01T00:00:00.000000Z';
  const LAST = '9999-12-31T23:59:59.999999Z';

  /** Sets all timestamps, except those that end something and `taken_at`. */
  async function setAll({ manager }: DataSource, value: string): Promise<void> {
    for (const { table, column } of TIMESTAMP_COLUMNS)
      await manager.query(`alter table ${table} drop constraint ${table}_${column}_check`);
    // The trigger forms_version would change updated_at.
    await manager.query('alter table forms disable trigger forms_version');
    await manager.query('alter table audit_log disable trigger audit_log_guard');
    for (const { table, column, name } of TIMESTAMP_COLUMNS) {
      if (MAY_BE_INFINITE.includes(name) || /\.(revoked_at|retired_at|next_attempt_at|taken_at)$/.test(name))
        continue;
      await manager.query(`update ${table} set ${column} = $1`, [value]);
    }
  }

  it.each([
    ['infinity', LAST],
    ['0044-03-15 12:00:00+00 BC', FIRST],
  ])('the service responds with the nearest valid one instead of %s', async (value, nearest) => {
    await inOwnDatabase(async (use) => {
      const { client, path, form } = await fillTimestamps(use);
      await setAll(use.database.dataSource, value);

      // The command line, webhooks and metrics.
      const { run } = commandLine({ databaseUrl: use.database.url, directory: tmpdir() });
      for (const words of [
        ['tokens', 'list', '--json'],
        ['submissions', 'export', '--form', form.slug],
        ['webhooks', 'failures', '--json'],
        ['submissions', 'purge', '--drafts-older-than', '36500d', '--dry-run'],
        ['forms', 'list', '--json'],
        ['audit', 'list', '--json'],
      ]) {
        const { status, stdout, stderr } = await run(words);
        expect([words, status, stderr.match(/^ +at /m)]).toEqual([words, 0, null]);
        for (const [, year] of stdout.matchAll(/_at": ?"([^-]*)-/g)) expect(year).toMatch(/^\d{4}$/);
      }
      await asAnotherProgram(use.database.connection, async (program) => {
        await program.query(OUTBOX_STATE);
        await program.query(FIND_LATE_DELETIONS.text);
        await program.query({ ...RELAY, values: [10] });
        const { rows } = await program.query<{ body: string }>(
          `select body from webhook_deliveries where body <> '{}'`,
        );
        expect(rows).toHaveLength(1);
        const { timestamp, data } = JSON.parse(rows[0]!.body);
        for (const told of [timestamp, data.submission.created_at, data.submission.updated_at])
          expect([FIRST, LAST]).toContain(told);
      });

      const times = { created_at: nearest, updated_at: nearest };
      const read = await client.get(path);
      expect(read.body.data).toMatchObject({ ...times, records: [{ created_at: nearest }] });
      expect(etagOf(read)).toBe(`"${nearest}"`);
      expect((await client.get('/api/v1/submissions?per_page=1')).body.data).toMatchObject([times]);
      expect((await client.get('/api/v1/forms')).body.data).toMatchObject([times]);
      for (const what of ['records', 'files'])
        expect((await client.get(`${path}/${what}`)).body.data[0].created_at).toBe(nearest);
      for (const other of [`/api/v1/forms/${form.uuid}/schema`, `${path}/conditions`, `${path}/validation`])
        expect((await client.get(other)).status).toBe(200);

      const stored = await client.post(`${path}/values`, { values: [] }, { 'If-Match': etagOf(read) });
      expect([stored.status, stored.headers.get('etag')?.slice(1, 3)]).toEqual([200, '20']);
      expect((await client.post(`${path}/advance`)).status).toBe(200);
      expect((await client.patch(path, { status: 'completed' })).body.data.updated_at).toMatch(TIMESTAMP);

      await use.database.dataSource.query(`update api_tokens set expires_at = 'infinity'`);
      expect((await client.get(path)).status).toBe(200);
      expect(JSON.parse((await run(['tokens', 'list', '--json'])).stdout)).toMatchObject([
        { expires_at: null, status: 'valid' },
      ]);
    });
  });
});
