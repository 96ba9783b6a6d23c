import { existsSync } from 'node:fs';
import path from 'node:path';

/** The usual paths of Chromium and Chrome. */
const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
  '/usr/bin/chromium-browser',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** Returns the path in CHROMIUM or of an installed browser, or undefined. Throws if CHROMIUM names a missing file. */
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

/** `describe`, or `describe.skip` without a browser. Throws instead of skipping if CI=true. */
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
