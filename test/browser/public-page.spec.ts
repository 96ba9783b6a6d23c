import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { seed } from '../../src/forms/definitions/seed.js';
import { eventually } from '../support/eventually.js';
import { blocksOf } from '../support/panel.js';
import { useService } from '../support/service.js';
import { useBrowser } from './support/browser.js';
import { describeInBrowser } from './support/chromium.js';

const ROOT = path.resolve(__dirname, '../..');
/** The addresses of the README. */
const SERVICE = 'http://127.0.0.1:3000';
const EXAMPLE = 'http://127.0.0.1:5173';
/** Maximum milliseconds for the example to build and start on a busy machine. */
const STARTED = 240_000;

it("the project's README can be read in a few minutes", async () => {
  const text = await readFile(path.join(ROOT, 'README.md'), 'utf8');
  expect(text.split(/\s+/).length).toBeLessThanOrEqual(900);
});

describeInBrowser("the page of the project's README", () => {
  const use = useService();
  const browser = useBrowser();
  let folder: string;
  let example: ChildProcess;
  let exampleUrl = '';

  beforeAll(async () => {
    await seed(use.database.dataSource, ROOT);
    folder = await mkdtemp(path.join(tmpdir(), 'formtrail-page-'));
    example = spawn(process.execPath, ['examples/renderer/serve.mjs', '--port', '0'], {
      cwd: ROOT,
      env: { PATH: process.env['PATH'], FORMTRAIL_URL: use.service.url, FORMTRAIL_TOKEN: 'none' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    example.stdout?.on('data', (text: Buffer) => (output += text.toString()));
    await eventually('it prints a link', () => output.includes('Stop it with'), STARTED);
    exampleUrl = /http:\/\/127\.0\.0\.1:\d+(?=\/#)/.exec(output)?.[0] ?? '';
  }, STARTED);
  afterAll(async () => {
    example.kill('SIGINT');
    if (example.exitCode === null) await once(example, 'exit');
    await rm(folder, { recursive: true, force: true });
  });

  it('has two lines, and a visitor submits the form from an empty folder', async () => {
    const [html = ''] = await blocksOf('README.md', 'html');
    expect(html.trim().split('\n')).toHaveLength(2);
    const file = path.join(folder, 'page.html');
    await writeFile(file, html.replace(SERVICE, use.service.url).replace(EXAMPLE, exampleUrl));
    const page = await browser.newPage();
    await page.goto(pathToFileURL(file).href);
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
    const choose = (question: RegExp, option: string) =>
      page.getByRole('group', { name: question }).getByLabel(option, { exact: true }).check();

    await page.getByLabel('First name').fill('Ada');
    await page.getByLabel('Last name').fill('Lovelace');
    await page.getByLabel('Email address').fill('ada@example.org');
    expect(await page.getByLabel('Title of your talk').count()).toBe(0);
    await page.getByLabel('I am registering as').selectOption('speaker');
    await page.getByLabel('Title of your talk').fill('Engines');
    await press('Next');
    await choose(/take part/, 'On site');
    await choose(/which days/, 'First day');
    await choose(/bringing guests/, 'Yes');
    await page.getByLabel('Name of the guest').fill('Charles Babbage');
    await press('Next');
    await page.getByLabel('Access needs').waitFor();
    await press('Next');
    // A speaker pays nothing, so the step "Payment" is skipped.
    await choose(/photographs/, 'No');
    await page.getByLabel(/I accept the terms/).check();
    await press('Check your answers');
    await press('Submit');
    await page.getByRole('heading', { name: 'Thank you' }).waitFor();
    expect(await use.database.dataSource.query('select status from submissions')).toEqual([
      { status: 'completed' },
    ]);
  });
});
