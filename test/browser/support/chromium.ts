import path from 'node:path';

/** Address of the browser that test/browser/global-setup.mjs has started. */
export const BROWSER = process.env['FORMTRAIL_TEST_BROWSER'];

/** `describe`, or `describe.skip` without a browser. Throws instead of skipping if CI=true. */
export const describeInBrowser = BROWSER === undefined ? skipping() : describe;

function skipping(): typeof describe.skip {
  const file = path.relative('.', expect.getState().testPath ?? '');
  const why =
    `${file} needs a browser, and there is none. Install Chromium (apt-get install chromium) or Chrome, ` +
    `or name its program: CHROMIUM=/path/to/chromium`;
  if (process.env['CI'] === 'true') throw new Error(why);
  process.stderr.write(`Skipped: ${why}\n`);
  return describe.skip;
}
