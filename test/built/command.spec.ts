import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { PATIENCE } from '../support/built-service.js';
import { ended } from '../support/command-line.js';
import { eventually } from '../support/eventually.js';

const ROOT = path.resolve(__dirname, '../..');
/** What a checkout has to have to make the package. */
const CHECKOUT = [
  'src',
  'scripts',
  'examples',
  'package.json',
  'nest-cli.json',
  'ormconfig.ts',
  'tsconfig.json',
];
const ALSO = ['tsconfig.build.json', 'form-definition.schema.json', 'README.md', 'CHANGELOG.md', 'LICENSE'];

const exec = promisify(execFile);

let directory: string;
/** Where somebody has installed the package. */
let project: string;
/** Of the time that making the package took, the part in which there was a build to run. */
let wasThere: number;
let manifest: { version: string; dependencies: object; optionalDependencies: object };

/**
 * As `npm install` of the package would, but for the network: its own run-time dependencies, and no others, come from
 * this checkout.
 */
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'formtrail-installed-'));
  const checkout = path.join(directory, 'checkout');
  project = path.join(directory, 'project');
  const installed = path.join(project, 'node_modules/formtrail');
  await mkdir(installed, { recursive: true });
  await mkdir(path.join(project, 'node_modules/.bin'));

  // A copy, so that there is an older build, of which nothing may be in the package.
  for (const name of [...CHECKOUT, ...ALSO]) {
    await cp(path.join(ROOT, name), path.join(checkout, name), { recursive: true });
  }
  await symlink(path.join(ROOT, 'node_modules'), path.join(checkout, 'node_modules'));
  await mkdir(path.join(checkout, 'dist/src'), { recursive: true });
  await writeFile(path.join(checkout, 'dist/src/stale.js'), '');
  const looks: boolean[] = [];
  const looking = setInterval(() => looks.push(existsSync(path.join(checkout, 'dist/src'))), 20);
  await exec('npm', ['pack', '--pack-destination', directory], { cwd: checkout });
  clearInterval(looking);
  wasThere = looks.filter(Boolean).length / looks.length;
  manifest = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8'));
  const tarball = path.join(directory, `formtrail-${manifest.version}.tgz`);
  await exec('tar', ['-xzf', tarball, '--strip-components=1', '-C', installed]);

  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })) {
    const link = path.join(project, 'node_modules', name);
    await mkdir(path.dirname(link), { recursive: true });
    await symlink(path.join(ROOT, 'node_modules', name), link);
  }
  await symlink('../formtrail/dist/src/cli.js', path.join(project, 'node_modules/.bin/formtrail'));
}, 120_000);

// Whoever stops the database need not have waited until its last process had gone.
afterAll(() => rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 }));

/** Through its own first line and its own permission to be run, as `npx formtrail` does. */
function start(...words: string[]) {
  const env = { PATH: process.env['PATH'], PORT: '0', SHUTDOWN_TIMEOUT: '4' };
  return spawn(path.join(project, 'node_modules/.bin/formtrail'), words, { cwd: project, env });
}

const run = (...words: string[]) => ended(start(...words));

describe('formtrail, installed in a project', () => {
  it('was built and packed beside a build that may have been running', () => {
    expect(wasThere).toBeGreaterThan(0.9);
    expect(existsSync(path.join(project, 'node_modules/formtrail/dist/src/cli.js'))).toBe(true);
    expect(existsSync(path.join(project, 'node_modules/formtrail/dist/src/stale.js'))).toBe(false);
  });

  it('says its version', async () => {
    const expected = { status: 0, stdout: `${manifest.version}\n`, stderr: '' };
    expect(await run('--version')).toEqual(expected);
    expect(await run('-V')).toEqual(expected);
  });

  it('serves on a database of its own in the folder where it is run, with the example forms', async () => {
    const server = start('serve');
    const outcome = ended(server);
    try {
      let output = '';
      server.stdout.on('data', (part: Buffer) => (output += part.toString()));
      const url = await eventually(
        'the server says where it listens',
        () => /http:\/\/[\w.]+:\d+/.exec(output)?.[0],
        PATIENCE,
      );
      expect(output).toContain('npx formtrail tokens create');
      const response = await fetch(`${url}/api/v1/forms`);
      const { data } = (await response.json()) as { data: unknown[] };
      expect(data).toHaveLength(4);
      expect((await run('forms', 'list')).stdout).toMatch(/^job-application /m);
      expect(
        await run('submissions', 'export', '--form', 'job-application', '--format', 'csv'),
      ).toMatchObject({
        status: 0,
        stdout: expect.stringMatching(/^uuid,status,/),
      });
    } finally {
      server.kill('SIGTERM');
    }
    expect((await outcome).status).toBe(0);
    expect(await readFile(path.join(project, '.data/postgres/PG_VERSION'), 'utf8')).toMatch(/^\d+\n$/);
  });
});
