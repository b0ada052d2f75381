import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { prose, seededRandom } from "../support/load/index.ts";
import { startBrowser } from "./support/browser.ts";
import { openPage } from "./support/open-page.ts";
import { type Message, RealFleet } from "./support/real-fleet.ts";

let browser: Browser;
let fleet: RealFleet;

beforeAll(async () => {
  browser = await startBrowser();
  fleet = await RealFleet.start({ workers: ["one", "two"] });
});
afterAll(async () => {
  await browser?.close();
  await fleet?.stop();
});

/** A conversation of its own about a document. */
function about(seed: number): Message[] {
  return [
    { role: "system", content: `You are assistant ${seed}. ${prose(300, seededRandom(seed))}` },
    { role: "user", content: "What happened first?" },
  ];
}

describe("the console of a running picker", () => {
  it("shows picks as they are made and why each went where it went, and its browser complains of nothing", async () => {
    const { page, faults } = await openPage(browser, fleet.consoleUrl);
    await expect.poll(() => page.locator("#connection").textContent()).toBe("Live");
    const messages = about(1);
    const answer = await fleet.ask(messages, { "x-request-id": "the-first-turn" });
    await page.click("#tab-picks");
    const first = page.locator("#panel-picks .list tbody tr", { hasText: "the-first-turn" });
    await first.waitFor();
    expect(await first.innerText()).toMatch(/0 of \d\d \(0 %\)/);
    // Until the picker has heard what the worker has cached.
    await expect
      .poll(async () => {
        await fleet.ask([...messages, { role: "assistant", content: answer }, { role: "user", content: "And then?" }], {
          "x-request-id": "the-second-turn",
        });
        return await page.locator("#panel-picks .list tbody tr", { hasText: "the-second-turn" }).first().innerText();
      })
      .toMatch(/\d\d of \d\d \((9\d|100) %\)/);

    const workerOf = async (id: string) =>
      await page.locator("#panel-picks .list tbody tr", { hasText: id }).first().locator("td").nth(1).innerText();
    expect(await workerOf("the-second-turn")).toBe(await workerOf("the-first-turn"));

    await page.locator("#panel-picks .list tbody tr", { hasText: "the-second-turn" }).first().locator("button").click();
    const sheet = page.getByRole("dialog", { name: `Why ${await workerOf("the-first-turn")}?` });
    await sheet.waitFor();
    expect(await sheet.locator("tbody tr").count()).toBe(2);
    expect(await sheet.locator("tr.chosen .name-line .name").textContent()).toBe(await workerOf("the-first-turn"));
    expect(await sheet.innerText()).toMatch(
      /It holds \d\d of the prompt's \d\d blocks \((9\d|100) %\), all on the device; nobody eligible holds more\./,
    );
    const costs = await sheet.locator("tbody tr td:last-child .figure").allTextContents();
    const [least = 0, next = 0] = costs.map((text) => Number(text.replaceAll(",", "")));
    expect(least).toBeLessThan(next);
    await page.keyboard.press("Escape");
    expect(faults).toEqual([]);
  });

  it("shows caches, KV events and hit rate of the workers", async () => {
    const { page, faults } = await openPage(browser, `${fleet.consoleUrl}#events`);
    const rows = page.locator("#panel-events tbody tr");
    expect(await rows.count()).toBe(2);
    await expect.poll(() => page.locator("#panel-events .badge.good").count()).toBeGreaterThan(0);
    await page.click("#tab-overview");
    await expect.poll(() => page.locator("#figures").innerText()).toMatch(/Hit rate\s+\d+ %/);
    await page.click("#tab-models");
    await page.locator("#panel-models tbody tr", { hasText: "Exact tokens" }).waitFor();
    await page.click("#tab-system");
    expect(await page.locator("#panel-system").innerText()).toMatch(/Mode\s+proxy/);
    await page.click("#tab-fleet");
    await page.locator("#panel-fleet button.opener").first().click();
    expect(await page.locator("#rank").innerText()).toMatch(/Running\s+0\s+Waiting\s+0/);
    expect(faults).toEqual([]);
  });

  it("follows the picker over a restart, and shows a worker that has died", async () => {
    const { page } = await openPage(browser, fleet.consoleUrl);
    await expect.poll(() => page.locator("#connection").textContent()).toBe("Live");
    await fleet.stopPicker();
    await page.getByText(/^Not connected: /).waitFor();
    await fleet.workers[1]?.close(0);
    await fleet.startPicker();
    await expect.poll(() => page.locator("#connection").textContent()).toBe("Live");
    await page.getByText("two: its health check fails; it gets no requests").waitFor();
    await expect.poll(() => page.locator("#figures").innerText()).toContain("1 of 2");
  });
});

it("shows names of workers as they are, and asks for the token where one is needed", async () => {
  const nasty = "<img src=x onerror=alert(1)>";
  const folder = await mkdtemp(join(tmpdir(), "pointsman-console-"));
  const tokenFile = join(folder, "tokens");
  await writeFile(tokenFile, "the-token-of-this-test\n");
  const other = await RealFleet.start({ workers: [nasty], picker: { admin: { tokenFile } } });
  try {
    const { page } = await openPage(browser, other.consoleUrl, {}, "#token-prompt");
    await page.locator("#token").fill("the-token-of-this-test");
    await page.keyboard.press("Enter");
    await page.locator("#shown").waitFor();
    await page.getByRole("button", { name: nasty }).waitFor();
    expect(await page.locator("main img").count()).toBe(0);
  } finally {
    await other.stop();
    await rm(folder, { recursive: true });
  }
});
