import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { newUser } from '../support/service.js';
import { describeInBrowser } from './support/chromium.js';
import { serveFolder, type StaticServer } from './support/static-server.js';
import { REFUSED, useRenderer } from './support/use-renderer.js';

const BUILD = path.join(__dirname, 'support/build-with-sign-in.mjs');

describeInBrowser("the example renderer with the sign-in of its README's snippet", () => {
  const { use, browser, letTokensEnd } = useRenderer();
  let folder: string;
  let site: StaticServer;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'formtrail-sign-in-'));
    await promisify(execFile)(process.execPath, [BUILD, folder]);
    site = await serveFolder(folder);
  }, 60_000);
  afterAll(async () => {
    await site.close();
    await rm(folder, { recursive: true });
  });

  it("gets the token from the host's server, and asks again when the token is revoked", async () => {
    browser.forgive(REFUSED);
    const { plainToken, client } = await newUser(use);
    const page = await browser.newPage();
    await page.route('**/forms-token', (route) => route.fulfill({ body: plainToken }));
    await page.goto(`${site.url}/?api=${use.service.url}`);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Forms' }).waitFor();
    expect(await page.getByText('Access token').count()).toBe(0);

    // The lists are loaded: a request for them after the revocation would ask for the sign-in before the reload.
    await page.getByRole('button', { name: 'Begin' }).first().waitFor();
    await letTokensEnd(client);
    await page.reload();
    await page.getByRole('button', { name: 'Sign in again' }).waitFor();
  });
});
