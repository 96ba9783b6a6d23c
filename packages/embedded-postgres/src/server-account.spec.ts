import { chmod, chown, mkdir, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { closedPath, commandFor, unprivilegedUsers } from './server-account.js';

const asRoot = process.geteuid?.() === 0 ? it : it.skip;
const stranger = { uid: 4242, gid: 4242 };

describe('unprivilegedUsers', () => {
  it.each([
    [
      'without root',
      'root:x:0:0::/root:/bin/sh\ndaemon:x:1:1::/:/bin/false\nnobody:x:65534:65534::/:/bin/false\n',
      ['daemon', 'nobody'],
    ],
    [
      'without negative uids, as on macOS',
      'nobody:*:-2:-2::/:/bin/false\ndaemon:*:1:1::/:/bin/false\n',
      ['daemon'],
    ],
    ['without comments and entries of NIS', '# users\n+::::::\nanna:x:1000:1000::/:/bin/sh', ['anna']],
    ['no users', '', []],
  ])('reads /etc/passwd: %s', (_, text, names) => {
    expect(unprivilegedUsers(text).map(({ name }) => name)).toEqual(names);
  });
});

describe('commandFor', () => {
  it.each([
    [[], '/bin/postgres -D /d'],
    [['unshare', '--user'], 'unshare --user /bin/postgres -D /d'],
  ])('puts %j before the program', (prefix, expected) => {
    const account = { owner: { uid: 0, gid: 0 }, prefix };
    expect(commandFor(account, '/bin/postgres', ['-D', '/d']).flat().join(' ')).toBe(expected);
  });
});

describe('closedPath', () => {
  let base: string;
  beforeEach(async () => {
    base = await mkdtemp(path.join(os.tmpdir(), 'formtrail-spec-'));
    await mkdir(path.join(base, 'a', 'b'), { recursive: true, mode: 0o755 });
    await chmod(base, 0o755);
  });
  afterEach(() => rm(base, { recursive: true }));

  it.each([
    ['711', undefined],
    ['750', 'a'],
    ['700', 'a'],
  ])('for another user, a path through a directory of mode %s is closed at %s', async (mode, expected) => {
    await chmod(path.join(base, 'a'), parseInt(mode, 8));
    const closed = closedPath(path.join(base, 'a', 'b'), stranger);
    expect(closed).toBe(expected && path.join(base, expected));
  });

  asRoot.each([
    [4242, 1, '700', true],
    [4242, 1, '077', false],
    [1, 4242, '710', true],
    [1, 4242, '701', false],
  ])('for owner %d and group %d with mode %s, access is %s', async (uid, gid, mode, open) => {
    const directory = path.join(base, 'a');
    await chown(directory, uid, gid);
    await chmod(directory, parseInt(mode, 8));
    expect(closedPath(directory, stranger)).toBe(open ? undefined : directory);
  });
});
