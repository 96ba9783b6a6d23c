import { filesFolder } from '../../../support/files.js';
import type { BrowserContextOptions } from 'playwright-core';
import { useService } from '../../../support/service.js';
import { useBrowser } from '../../support/browser.js';
import { PanelPage } from './panel-page.js';
import { type PanelProcess, startPanel } from './panel-process.js';
import { openSession } from './panel-session.js';

/** Provides a database, a service with files, and one panel for the whole spec file. `rendererUrl` is called after the service has started. */
export function usePanel(rendererUrl: (serviceUrl: string) => string | Promise<string> = () => '') {
  const storage = filesFolder();
  const use = useService({ FILES_URL: storage.url });
  const panel = {} as PanelProcess;
  beforeAll(async () => {
    const variables = { FILES_URL: storage.url, RENDERER_URL: await rendererUrl(use.service.url) };
    Object.assign(panel, await startPanel(use.database.url, variables));
  }, 300_000);
  afterAll(async () => {
    await panel.stop();
    await storage.remove();
  });
  return {
    use,
    panel,
    managerOf: () => use.database.dataSource.manager,
    openSession: () => openSession(panel.url),
  };
}

/** Provides a browser, whose user logs in to the panel. */
export function usePanelPage(panel: PanelProcess) {
  const browser = useBrowser();
  async function logIn(width = 1280, options: BrowserContextOptions = {}): Promise<PanelPage> {
    const own = await browser.newPage({ viewport: { width, height: 900 }, ...options });
    const page = new PanelPage(own, panel.url);
    await page.logIn();
    return page;
  }
  return { browser, logIn };
}
