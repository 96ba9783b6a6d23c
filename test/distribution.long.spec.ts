import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { imitateCoordinator } from './support/citus.js';
import { type OpenCommandLine, openCommandLine } from './support/command-line.js';
import { isOneServer } from './support/it-on-one-server.js';

describe('on a distributed database', () => {
  let cli: OpenCommandLine;
  let folder: URL;
  beforeAll(async () => {
    cli = await openCommandLine();
    if (isOneServer) await imitateCoordinator(cli.database.connection);
    folder = pathToFileURL(path.join(cli.directory, 'files'));
  });
  afterAll(() => cli.close());

  const WEBHOOK_KEY = randomBytes(32).toString('base64');
  const WEBHOOKS_OFF = 'Set WEBHOOKS=off, and do not run "webhooks deliver".';

  it.each([
    ['forms preview any', {}, 'Previews', 'Import the form into a database of one server to preview it.'],
    ['files work', {}, 'Files', 'Remove FILES_URL.'],
    ['files sweep', {}, 'Files', 'Remove FILES_URL.'],
    ['submissions export --form any --files there', {}, 'Files', 'Leave out --files.'],
    ['serve', {}, 'Files', 'Remove FILES_URL.'],
    ['serve', { WEBHOOKS: 'inline', FILES_URL: '' }, 'Webhooks', WEBHOOKS_OFF],
    ['webhooks deliver', {}, 'Webhooks', WEBHOOKS_OFF],
    [
      ...(['webhooks add --url https://receiver.example', {}, 'Webhooks'] as const),
      'Run "submissions export --since" regularly to learn about new submissions.',
    ],
  ])('"%s" with %o says that it cannot work, and changes nothing', async (words, more, feature, remedy) => {
    const variables = { NODE_ENV: 'production', PORT: '0', FILES_URL: folder.href, WEBHOOK_KEY, ...more };
    const sentence = `formtrail: ${feature} are not available if submissions are distributed over Citus. ${remedy}\n`;
    expect(await cli.run(words.split(' '), variables)).toEqual({ status: 1, stdout: '', stderr: sentence });
    expect(existsSync(folder)).toBe(false);
  });

  it.each([
    ['respondents purge', 'Deleted 0 respondents and 0 drafts.'],
    ['respondents purge --dry-run', '0 respondents would be deleted, or would lose drafts.'],
    ['submissions purge --drafts-older-than 90d', 'Deleted 0 drafts.'],
    ['audit purge --older-than 90d', 'Deleted 0 acts.'],
  ])('"%s" succeeds, so that a nightly job goes on', async (words, printed) => {
    const { status, stdout, stderr } = await cli.run(words.split(' '));
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: `${printed}\n`, stderr: '' });
  });

  it('"db seed" imports all example forms, and says that none is public', async () => {
    const { status, stdout, stderr } = await cli.run(['db', 'seed']);
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringMatching(/^ftk_/) });
    expect(stderr).toContain('No example form is public, because submissions are distributed over Citus.\n');
    const forms = await cli.database.dataSource.query<unknown[]>(`select access from forms`);
    expect(forms).toEqual(Array(4).fill({ access: 'token' }));
  });
});
