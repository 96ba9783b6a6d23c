import { existsSync } from 'node:fs';
import process from 'node:process';
import { chromium } from 'playwright-core';
import setUpDatabases from '../support/global-setup.mjs';

/** The usual paths of Chromium and Chrome. */
const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
  '/usr/bin/chromium-browser',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];
/** With these arguments, the browser itself sends no requests for updates, accounts or field trials. */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts the browser of the whole run, and the PostgreSQL server. Without a browser, the specs are skipped. */
export default async function setUp() {
  const executablePath = findChromium();
  if (executablePath !== undefined) {
    globalThis.testBrowser = await chromium.launchServer({ executablePath, args: ARGUMENTS });
    // support/chromium.ts reads this variable.
    process.env.FORMTRAIL_TEST_BROWSER = globalThis.testBrowser.wsEndpoint();
  }
  await setUpDatabases();
}

/** Returns the path in CHROMIUM or of an installed browser, or undefined. Throws if CHROMIUM names a missing file. */
function findChromium() {
  const named = process.env.CHROMIUM || undefined;
  if (named !== undefined && !existsSync(named))
    throw new Error(
      `CHROMIUM is ${named}, and there is no such file. Name the browser's program, or unset it.`,
    );
  return named ?? PLACES.find((place) => existsSync(place));
}
