import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { CHROMIUM } from './chromium.js';

/** Nothing but the page goes over the network: no updates, no accounts, no field trials. */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
/** Milliseconds in which a page of a busy machine has surely done what it is waited for. */
const PATIENCE = 15_000;

/** One browser for the test file; pages in contexts of their own, which know nothing of each other. */
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
    /** A page without a past. Whatever it complains of on its console fails the test. */
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
    /** In this test, complaints that are like this are what it is about. */
    forgive(complaint: RegExp): void {
      forgiven.push(complaint);
    },
  };
}
