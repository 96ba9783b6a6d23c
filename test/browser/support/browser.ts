import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { BROWSER } from './chromium.js';

/** Milliseconds to wait for an action of a page, enough for a busy machine. */
const PATIENCE = 30_000;

/** Connects to the browser of the whole run. Each page has its own context, so pages share no state. */
export function useBrowser() {
  let browser: Browser;
  let problems: string[] = [];
  let forgiven: RegExp[] = [];

  beforeAll(async () => {
    browser = await chromium.connect(BROWSER ?? '');
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
