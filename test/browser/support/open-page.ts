import type { Browser, BrowserContextOptions, Page } from "playwright-core";

/** A page of the console, with everything that its browser complained of. */
export interface OpenedPage {
  readonly page: Page;
  /** Errors and warnings of the console, uncaught errors, breaches of the content security policy. */
  readonly faults: readonly string[];
}

/**
 * Opens an address in a context of its own and waits until the page shows figures.
 * @param shown what to wait for; default: the figures
 */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
  shown = "#shown",
): Promise<OpenedPage> {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 900 }, ...options });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(String(error)));
  await page.goto(url);
  await page.locator(shown).waitFor();
  return { page, faults };
}

/** Waits until what the page has to draw is drawn. */
export async function drawn(page: Page): Promise<void> {
  await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))");
}
