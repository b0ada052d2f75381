import { describe, expect, it } from "vitest";
import { consoleUnderTest } from "./support/console-under-test.ts";
import { exampleState, manyWorkers } from "./support/example.ts";
import { drawn } from "./support/open-page.ts";

const under = consoleUnderTest();

describe("the fleet", () => {
  it("shows load and cache of each rank, as figures and as bars", async () => {
    const { page } = await under.open({ path: "#fleet" });
    const row = page.locator("#panel-fleet tbody tr").first();
    expect((await row.locator("td").allInnerTexts()).map((text) => text.replaceAll(/\s+/g, " ").trim())).toEqual([
      "gpu-0 rank 0 10.0.0.10:8000",
      "Up",
      "10",
      "6,124",
      "1,517",
      "21.8K (61 %)",
      "Live",
    ]);
    // (780 + 310 + 44) blocks in use and 6,124 tokens of 16 to prefill: the busiest, so that both fill its bar.
    const widths = await row
      .locator("td")
      .nth(4)
      .locator(".part")
      .evaluateAll((parts) => parts.map((part) => Number.parseFloat(part.style.width)));
    expect(widths[0]).toBeCloseTo((100 * 1134) / (1134 + 6124 / 16), 1);
    expect(widths.reduce((sum, width) => sum + width)).toBeCloseTo(100, 1);
  });

  it("shows one worker, and all that is known of it when it is opened", async () => {
    under.server.tell({ workers: exampleState().workers.slice(0, 1) });
    const { page, faults } = await under.open({ path: "#fleet" });
    await page.getByText("2 ranks", { exact: true }).last().waitFor();
    await page.getByRole("button", { name: "gpu-0 rank 0" }).last().click();
    const sheet = page.getByRole("dialog", { name: "gpu-0 rank 0" });
    const text = (await sheet.innerText()).replaceAll(/\s+/g, " ");
    expect(text).toContain("Booked by other replicas 3 900 310");
    expect(text).toContain("Seen by the engine beyond that 1 1,024 44");
    expect(text).toContain("On the device 19,900 of 32,768 (61 %)");
    expect(text).toContain("Last batch number 48211, 140 ms ago");
    expect(text).toContain("KV blocks in use 61 %");
    expect(faults).toEqual([]);
  });

  it("shows 512 workers in pages, filtered and sorted, and stays quick", async () => {
    under.server.tell({ workers: manyWorkers(512) });
    const { page, faults } = await under.open({ path: "#fleet" });
    const panel = page.locator("#panel-fleet");
    await panel.getByText("1–50 of 512 ranks").waitFor();
    expect(await panel.locator("tbody tr").count()).toBe(50);
    await panel.getByRole("button", { name: "Next page of ranks" }).click();
    await panel.getByText("51–100 of 512 ranks").waitFor();

    await panel.getByRole("button", { name: "Requests", exact: true }).click();
    expect(await panel.locator("tbody tr").first().innerText()).toContain("gpu-000");
    await panel.getByRole("button", { name: "Requests", exact: true }).click();
    expect(await panel.locator("tbody tr").first().innerText()).toContain("gpu-511");
    expect(await panel.locator('th[aria-sort="descending"]').textContent()).toBe("Requests");

    await panel.getByRole("combobox").selectOption("Need a look");
    await panel.getByText("5 of 512 ranks").waitFor();
    await panel.getByPlaceholder("Filter ranks").fill("gpu-39");
    await panel.getByText("1 of 512 ranks").waitFor();
    await panel.getByPlaceholder("Filter ranks").fill("nobody");
    await panel.getByText("No ranks match.").waitFor();

    await panel.getByPlaceholder("Filter ranks").fill("");
    await panel.getByRole("combobox").selectOption("All");
    // What a state costs each second, on the page's only thread.
    const before = await page.evaluate(() => performance.now());
    under.server.tell({ totals: { picks: 77_777, refusals: 0, promptBlocks: 0, heldBlocks: 0 } });
    await page.getByText("77,777 since the start").waitFor();
    await drawn(page);
    expect((await page.evaluate(() => performance.now())) - before).toBeLessThan(3_000);
    expect(faults).toEqual([]);
  });

  it("keeps what the reader does while figures change: page, filter, focus", async () => {
    under.server.tell({ workers: manyWorkers(120) });
    const { page } = await under.open({ path: "#fleet" });
    const panel = page.locator("#panel-fleet");
    await panel.getByPlaceholder("Filter ranks").fill("gpu-");
    await panel.getByRole("button", { name: "Next page of ranks" }).click();
    await panel.getByRole("button", { name: "gpu-055" }).focus();
    under.server.tell({ workers: manyWorkers(200) });
    await panel.getByText("51–100 of 200 ranks").waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("gpu-055");
    // Sorted the other way round it stands elsewhere, and is still the one.
    under.server.tell({ workers: manyWorkers(70).toReversed() });
    await panel.getByText("51–70 of 70 ranks").waitFor();
    expect(await panel.locator('button[tabindex="0"].opener').count()).toBe(1);
  });

  it("shows names as they are, whatever they hold", async () => {
    const nasty = '<img src=x onerror="document.title=1">';
    const [first] = exampleState().workers;
    const [pick] = exampleState().picks;
    const [model] = exampleState().models;
    if (first === undefined || pick?.picked === undefined || model === undefined)
      throw new Error("the example is empty");
    under.server.tell({
      workers: [{ ...first, name: nasty, endpoint: nasty, problems: [{ kind: "x", message: nasty }] }],
      picks: [{ ...pick, model: nasty, requestId: nasty, picked: { ...pick.picked, workerName: nasty } }],
      models: [{ ...model, name: nasty, aliases: [nasty], loadReason: nasty, tokens: "load" }],
      ready: { isReady: false, reasons: [nasty] },
    });
    const { page, faults } = await under.open();
    for (const tab of ["overview", "fleet", "picks", "events", "models", "system"]) {
      await page.click(`#tab-${tab}`);
      expect(await page.locator(`#panel-${tab}`).innerText()).toContain(nasty);
    }
    await page.click("#tab-fleet");
    await page.locator("#panel-fleet button.opener").first().click();
    expect(await page.locator("#rank h2").textContent()).toContain(nasty);
    expect(await page.locator("body img").count()).toBe(1);
    expect(await page.title()).toBe("Pointsman");
    expect(faults).toEqual([]);
  });
});
