import type { Browser, BrowserContextOptions } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { startBrowser } from "./browser.ts";
import { exampleHistory, examplePick, exampleState } from "./example.ts";
import { type OpenedPage, openPage } from "./open-page.ts";
import { PageServer } from "./page-server.ts";

/** One browser for a file of tests; a server and pages of its own for each test. */
export interface ConsoleUnderTest {
  readonly server: PageServer;
  readonly browser: Browser;
  open(options?: BrowserContextOptions & { readonly path?: string; readonly shown?: string }): Promise<OpenedPage>;
}

/** Starts and ends it around the tests of the file. */
export function consoleUnderTest(): ConsoleUnderTest {
  let browser: Browser | undefined;
  let server: PageServer | undefined;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
  });
  beforeEach(async () => {
    const state = exampleState();
    server = await PageServer.start({ ...state, history: exampleHistory(state.nowAtMs) });
    server.picks.set("911", examplePick());
  });
  afterEach(async () => {
    await Promise.all(browser?.contexts().map((context) => context.close()) ?? []);
    await server?.stop();
  });
  return {
    get browser() {
      if (browser === undefined) throw new Error("the browser is not running");
      return browser;
    },
    get server() {
      if (server === undefined) throw new Error("the server is not running");
      return server;
    },
    async open({ path = "", shown, ...options } = {}) {
      return await openPage(this.browser, this.server.url + path, options, shown);
    },
  };
}
