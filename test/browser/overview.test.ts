import { describe, expect, it } from "vitest";
import { consoleUnderTest } from "./support/console-under-test.ts";
import { exampleHistory, exampleState } from "./support/example.ts";

const under = consoleUnderTest();

describe("the console's overview", () => {
  it("shows the figures of the state, and complains of nothing", async () => {
    const { page, faults } = await under.open();
    const figures = await page.locator("#figures").innerText();
    expect(figures.replaceAll(/\s+/g, " ")).toBe(
      "Hit rate 87 % 61 % since the start Picks 5.2 /s 911 since the start Refusals 0 /s 10 since the start " +
        "Workers up 3 of 5 6 ranks Requests running 28 18 booked here Waiting 3 at most 1,024",
    );
    expect(await page.locator("#ready").textContent()).toBe("Ready");
    expect(await page.locator("#connection").textContent()).toBe("Live");
    expect(faults).toEqual([]);
  });

  it("tells why requests were refused, those that never came to a choice among them", async () => {
    const { page } = await under.open();
    const table = page.locator("#panel-overview").getByRole("table", { name: "The latest refusals" });
    const rows = await table
      .locator("tbody tr")
      .evaluateAll((found) =>
        found.map((row) => [...row.querySelectorAll("td, th")].slice(1).map((cell) => cell.textContent)),
      );
    expect(rows).toEqual([
      [
        "404 unknown model",
        'the model "Qwen/Qwen3-80B" is not served here; served here: "Qwen/Qwen3-8B", "llava"',
        "gateway (ext_proc)",
        "b7d0",
      ],
      ["429 saturated", "all workers are busy and others wait already", "gateway (ext_proc)", "batch-77"],
      [
        "400 invalid request",
        "The request is not as its API wants it. Field: messages[2].role",
        "gateway (ext_proc)",
        "–",
      ],
    ]);
    under.server.tell({ refusals: [] });
    await expect.poll(() => table.isVisible()).toBe(false);
  });

  it("draws the hit rate for those who see it, describes it for those who do not, and has it as a table", async () => {
    const { page } = await under.open();
    const chart = page.getByRole("img", { name: /Hit rate over time/ });
    expect(await chart.locator("path.line").getAttribute("d")).toMatch(/^M[\d.]+,[\d.]+( L[\d.]+,[\d.]+){100,}$/);
    const description = "Between 20 % and 90 % in the last 15 minutes, 90 % at the end.";
    expect(await chart.locator("desc").textContent()).toBe(description);
    await page.getByText("As a table").click();
    const table = page.getByRole("table", { name: "Hit rate over time" });
    await expect.poll(() => table.locator("tbody tr").count()).toBeGreaterThan(25);
    expect(await table.locator("thead th").allTextContents()).toEqual([
      "Until",
      "Hit rate",
      "Held blocks",
      "Prompt blocks",
      "Picks",
      "Refusals",
    ]);
  });

  it("leaves a gap where no prompt was placed, and tells the value under the pointer", async () => {
    const history = exampleHistory(under.server.state.nowAtMs);
    const promptBlocks = history.promptBlocks.map((blocks, i) => (i > 60 && i < 90 ? 0 : blocks));
    under.server.tell({ history: { ...history, promptBlocks } });
    const { page } = await under.open();
    const chart = page.locator(".chart").first();
    expect(await chart.locator("path.line").count()).toBe(2);
    const box = await chart.boundingBox();
    if (box === null) throw new Error("the chart is not drawn");
    await page.mouse.move(box.x + box.width - 12, box.y + 50);
    expect(await page.locator(".readout").first().textContent()).toMatch(/^\d\d:\d\d:\d\d {2}90 %$/);
  });

  it("tells what needs a look, the worst first, and nothing when nothing does", async () => {
    const { page } = await under.open();
    const findings = page.locator(".findings li");
    expect(await findings.first().textContent()).toContain("gpu-1: events were lost for good");
    const grades = await findings.evaluateAll((items) => items.map((item) => item.className));
    expect(grades).toEqual(["bad", "bad", "warn", "warn", "warn", "note", "note"]);
    const [healthy] = exampleState().workers;
    const [exact] = exampleState().models;
    if (healthy === undefined || exact === undefined) throw new Error("the example has no worker or model");
    under.server.tell({ workers: [healthy], models: [exact], admission: undefined, replicas: undefined });
    await expect.poll(() => page.locator(".attention").isVisible()).toBe(false);
  });

  it("says why the picker is not ready", async () => {
    under.server.tell({ ready: { isReady: false, reasons: ["no worker is known"] } });
    const { page } = await under.open();
    expect(await page.locator("#ready").textContent()).toBe("Not ready");
    expect(await page.locator(".findings li").first().textContent()).toBe("Not ready: no worker is known");
  });

  it("says what is missing where there is nothing yet", async () => {
    const history = exampleHistory(0);
    const none = {
      atMs: [],
      picks: [],
      refusals: [],
      promptBlocks: [],
      heldBlocks: [],
      picksPerSecond: [],
      requests: [],
    };
    const latest = { picksPerSecond: 0, refusalsPerSecond: 0, promptBlocks: 0, heldBlocks: 0, hitRatio: undefined };
    const totals = { picks: 0, refusals: 0, promptBlocks: 0, heldBlocks: 0 };
    under.server.tell({ workers: [], picks: [], models: [], totals, history: { ...history, ...none, latest } });
    const { page, faults } = await under.open();
    await page.getByText(/^No workers yet: they come from the settings/).waitFor();
    await page.getByText("No picks yet.").first().waitFor();
    expect(await page.locator("#hits-desc").textContent()).toBe("No prompt was placed in the last 15 minutes.");
    await page.click("#tab-models");
    await page.getByText(/^No models are served by name/).waitFor();
    expect(faults).toEqual([]);
  });
});

describe("the console's other views", () => {
  it("show KV events, models and why by load, replicas, the queue and recovery", async () => {
    const { page, faults } = await under.open();
    await page.click("#tab-events");
    const event = page.locator("#panel-events tbody tr", { hasText: "gpu-0 rank 1" });
    expect(await event.locator("td").allInnerTexts()).toEqual([
      "gpu-0 rank 1",
      "Live",
      "90 ms ago",
      "2 ms",
      "391,204",
      "0",
      "1",
      "2",
      "0",
    ]);
    await page.click("#tab-models");
    await page.getByText(/^prompts are tokenized as the workers do it; [\d,]+ by load: /).waitFor();
    expect(await page.locator("#panel-models tbody tr", { hasText: "llava" }).innerText()).toMatch(
      /By load\s+no model folder is configured/,
    );
    await page.click("#tab-system");
    const system = await page.locator("#panel-system").innerText();
    expect(system).toMatch(/This replica\s+picker-a/);
    expect(system).toMatch(/picker-b\s+180 ms ago/);
    expect(system).toMatch(/Admission queue\s+Waiting\s+3/);
    expect(system).toContain("Not in use here: shards and the queue front.");
    expect(faults).toEqual([]);
  });

  it("show shards that do not answer", async () => {
    const totals = { picks: 10, refusals: 1, promptBlocks: 100, heldBlocks: 50 };
    under.server.tell({
      shards: [
        { shard: 0, isReady: true, isTold: true, restarts: 0, totals, requests: 4 },
        { shard: 1, isReady: true, isTold: false, restarts: 2, totals: undefined, requests: undefined },
      ],
    });
    const { page } = await under.open({ path: "#system" });
    const rows = page.getByRole("table", { name: "Shards" }).locator("tbody tr");
    expect(await rows.nth(0).innerText()).toMatch(/0\s+Ready\s+4\s+10\s+1\s+50 %\s+0/);
    expect(await rows.nth(1).innerText()).toMatch(/1\s+No answer\s+–\s+–\s+–\s+–\s+2/);
  });
});
