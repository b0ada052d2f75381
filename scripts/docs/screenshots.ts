// Usage: node_modules/.bin/node scripts/docs/screenshots.ts   Makes docs/images/console-*.png: the console of a running picker before four simulated
// workers that are kept busy for three minutes. Needs Chromium; with Debian's fonts-inter the letters are those of the pictures.
import { mkdir } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { startBrowser } from "../../test/browser/support/browser.ts";
import { openPage } from "../../test/browser/support/open-page.ts";
import { RealFleet } from "../../test/browser/support/real-fleet.ts";
import { talk } from "./traffic.ts";

const folder = fileURLToPath(new URL("../../docs/images/", import.meta.url));
const busyMs = Number(process.argv[2] ?? 175) * 1_000;

const fleet = await RealFleet.start({
  workers: ["gpu-0", "gpu-1", "gpu-2", "gpu-3"],
  // Caches that are full after a while, and engines slow enough to have load.
  workerOptions: { gpuBlocks: 6_000, ttftBaseMs: 30, prefillTimePerTokenUs: 250, interTokenMs: 12 },
  picker: {
    admin: { historyMinutes: 3, historyIntervalMs: 1_000, updateIntervalMs: 500 },
    // A busy machine would be in the picture otherwise.
    fleet: { healthCheck: { timeoutMs: 20_000, unhealthyThreshold: 10 } },
  },
});
const browser = await startBrowser();
try {
  await mkdir(folder, { recursive: true });
  const stop = new AbortController();
  const traffic = talk(fleet, stop.signal);
  // A request that fails ends it, and the processes with it.
  await Promise.race([traffic, delay(busyMs)]);
  await Promise.race([traffic, photograph(browser)]);
  stop.abort();
  await traffic;
} finally {
  await browser.close();
  await fleet.stop();
}

async function photograph(browser: Browser): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    const { page, faults } = await openPage(browser, fleet.consoleUrl, {
      colorScheme,
      viewport: { width: 1_280, height: 1_270 },
    });
    await settled(page);
    // Down to the workers' card, and not through the middle of a row.
    const workers = await page.locator("#panel-overview > div > .card", { hasText: "Load, blocks" }).boundingBox();
    const height = Math.round((workers?.y ?? 0) + (workers?.height ?? 900) + 20);
    await page.screenshot({
      path: `${folder}console-${colorScheme}.png`,
      animations: "disabled",
      clip: { x: 0, y: 0, width: 1_280, height },
    });
    if (colorScheme === "light") await photographPick(page);
    if (faults.length > 0) throw new Error(`the page complains: ${faults.join("; ")}`);
  }
}

/** The latest pick that says something: of a prompt that was mostly held. */
async function photographPick(page: Page): Promise<void> {
  await page.click("#tab-picks");
  await page
    .locator("#panel-picks .list tbody tr", { hasText: /\(9\d %\)/ })
    .first()
    .locator("button.opener")
    .click();
  await page.locator("#explanation tr.chosen").waitFor();
  await page.setViewportSize({ width: 1_280, height: 760 });
  await page.screenshot({ path: `${folder}console-pick.png`, animations: "disabled" });
}

/** Until a few states have come. */
async function settled(page: Page): Promise<void> {
  await page.locator(".chart path.line").first().waitFor();
  await delay(1_500);
}
