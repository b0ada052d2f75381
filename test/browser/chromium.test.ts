import { expect, it } from "vitest";
import { startBrowser } from "./support/browser.ts";

it("drives a real Chromium", async () => {
  const browser = await startBrowser();
  try {
    const page = await browser.newPage();
    expect(await page.evaluate(() => navigator.userAgent)).toContain("HeadlessChrome/");
  } finally {
    await browser.close();
  }
});
