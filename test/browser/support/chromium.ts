import { existsSync } from 'node:fs';
import path from 'node:path';

/** Where packages of the usual systems put Chromium, or Chrome. */
const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
  '/usr/bin/chromium-browser',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The program that CHROMIUM names, or one that is installed; undefined: there is none. */
function findChromium(): string | undefined {
  const named = process.env['CHROMIUM'] || undefined;
  if (named !== undefined && !existsSync(named)) {
    throw new Error(
      `CHROMIUM is ${named}, and there is no such file. Name the browser's program, or unset it.`,
    );
  }
  return named ?? PLACES.find((place) => existsSync(place));
}

export const CHROMIUM = findChromium();

/** `describe`, which skips its tests where there is no browser. Where everything must run (CI=true), that is a failure. */
export const describeInBrowser = CHROMIUM === undefined ? skipping() : describe;

function skipping(): typeof describe.skip {
  const file = path.relative('.', expect.getState().testPath ?? '');
  const why =
    `${file} needs a browser, and there is none. Install Chromium (apt-get install chromium) or Chrome, ` +
    `or name its program: CHROMIUM=/path/to/chromium`;
  if (process.env['CI'] === 'true') throw new Error(why);
  process.stderr.write(`Skipped: ${why}\n`);
  return describe.skip;
}
