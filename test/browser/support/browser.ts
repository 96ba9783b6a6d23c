import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { CHROMIUM } from './chromium.js';

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
/** Milliseconds to wait for an action of a page, enough for a busy machine. */
const PATIENCE = 30_000;

/** Provides one browser for the test file. Each page has its own context, so pages share no state. */
export function useBrowser() {
  let browser: Browser;
  let problems: string[] = [];
  let forgiven: RegExp[] = [];

  beforeAll(async () => {
    browser = await chromium.launch({
      ...(CHROMIUM !== undefined && { executablePath: CHROMIUM }),
      args: ARGUMENTS,
    });
  });
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
    const found = problems.filter((problem) => !forgiven.some((pattern) => pattern.test(problem)));
    problems = [];
    forgiven = [];
    expect(found).toEqual([]);
  });
  afterAll(() => browser.close());

  return {
    /** Opens a page without cookies or storage. An error or warning on the page's console fails the test. */
    async newPage(options: BrowserContextOptions = {}): Promise<Page> {
      const context = await browser.newContext({
        viewport: { width: 1200, height: 800 },
        ...options,
      });
      context.setDefaultTimeout(PATIENCE);
      context.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
      });
      context.on('weberror', (error) => problems.push(error.error().message));
      return context.newPage();
    },
    /** Lets the current test pass despite console messages that match `complaint`. */
    forgive(complaint: RegExp): void {
      forgiven.push(complaint);
    },
  };
}
