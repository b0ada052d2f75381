import { describe, expect, it } from "vitest";
import { consoleUnderTest } from "./support/console-under-test.ts";
import { exampleState } from "./support/example.ts";

const under = consoleUnderTest();

describe("live figures", () => {
  it("come by themselves", async () => {
    const { page } = await under.open();
    const state = exampleState();
    under.server.tell({ totals: { ...state.totals, picks: 12_345 } });
    await page.getByText("12,345 since the start").waitFor();
  });

  it("come again by themselves after the connection is lost, which is said meanwhile", async () => {
    const { page } = await under.open();
    under.server.isUp = false;
    under.server.drop();
    await page.getByText(/^Not connected: .*\. What is shown is of \d\d:\d\d:\d\d\.$/).waitFor();
    expect(await page.locator("#connection").textContent()).toBe("Not connected");
    // What is known is still there.
    expect(await page.locator("#figures").innerText()).toContain("911 since the start");
    await page.getByText("Not connected: the picker is stopping.").waitFor();
    await page.getByText(/^Next try in \d+ s\.$/).waitFor();
    under.server.isUp = true;
    await expect.poll(() => page.locator("#connection").textContent()).toBe("Live");
    expect(await page.locator("#band").isVisible()).toBe(false);
    under.server.tell({ totals: { ...exampleState().totals, picks: 999_999 } });
    await page.getByText("999,999 since the start").waitFor();
  });

  it("can be asked for at once", async () => {
    const { page } = await under.open();
    under.server.isUp = false;
    under.server.drop();
    await page.getByText("Not connected: the picker is stopping.").waitFor();
    under.server.isUp = true;
    await page.getByRole("button", { name: "Try now" }).click();
    await expect.poll(() => page.locator("#connection").textContent()).toBe("Live");
  });

  it("are said to be old when the server says nothing any more", async () => {
    const { page } = await under.open();
    await page.getByText(/^No news since \d\d:\d\d:\d\d: what is shown is of then\.$/).waitFor({ timeout: 15_000 });
    expect(await page.locator("#connection").textContent()).toBe("No news");
    under.server.tell();
    await expect.poll(() => page.locator("#connection").textContent()).toBe("Live");
  });

  it("stand still while the reader has paused, and go on with the latest", async () => {
    const { page } = await under.open();
    const pause = page.getByRole("button", { name: "Pause" });
    await pause.click();
    expect(await pause.getAttribute("aria-pressed")).toBe("true");
    await page.getByText(/^Paused: what is shown is of \d\d:\d\d:\d\d\.$/).waitFor();
    const { totals } = exampleState();
    under.server.tell({ totals: { ...totals, picks: 1_000 } });
    under.server.tell({ totals: { ...totals, picks: 2_000 } });
    // A tab that is chosen meanwhile shows the same moment.
    await page.click("#tab-system");
    await expect.poll(() => page.locator("#panel-system").innerText()).toMatch(/Picks\s+911/);
    await pause.click();
    await expect.poll(() => page.locator("#panel-system").innerText()).toMatch(/Picks\s+2,000/);
    expect(await page.locator("#band").isVisible()).toBe(false);
  });

  it("add picks that come between two states to the list, and say how many were too many", async () => {
    const { page } = await under.open({ path: "#picks" });
    const [pick] = exampleState().picks;
    if (pick === undefined) throw new Error("the example has no picks");
    under.server.tellPick({ ...pick, id: "912", requestId: "between-two-states", atMs: pick.atMs + 1 });
    under.server.tell();
    const rows = page.locator("#panel-picks .list tbody tr");
    await expect.poll(() => rows.first().innerText()).toContain("between-two-states");
    expect(await rows.count()).toBe(exampleState().picks.length + 1);
  });

  it("add picks to the list while another tab is shown", async () => {
    const { page } = await under.open();
    const { picks, startedAtMs } = exampleState();
    const [pick] = picks;
    if (pick === undefined) throw new Error("the example has no picks");
    under.server.tellPick({ ...pick, id: "912", requestId: "while-elsewhere", atMs: pick.atMs + 1 });
    under.server.tell({ picks: [] });
    under.server.tell({ totals: { ...exampleState().totals, picks: 12_345 } });
    await page.getByText("12,345 since the start").waitFor();
    await page.click("#tab-picks");
    const rows = page.locator("#panel-picks .list tbody tr");
    await expect.poll(() => rows.first().innerText()).toContain("while-elsewhere");
    expect(await rows.count()).toBe(picks.length + 1);
    // Those of another process are not.
    under.server.tell({ startedAtMs: startedAtMs + 1, picks: [{ ...pick, id: "1", requestId: "of-another" }] });
    await expect.poll(() => rows.count()).toBe(1);
  });

  it("forget picks of the process before, whose numbers are given again", async () => {
    const { page } = await under.open({ path: "#picks" });
    const [pick] = exampleState().picks;
    if (pick === undefined) throw new Error("the example has no picks");
    const startedAtMs = exampleState().nowAtMs;
    under.server.tell({ startedAtMs, picks: [{ ...pick, requestId: "of-the-new-process" }] });
    const rows = page.locator("#panel-picks .list tbody tr");
    await expect.poll(() => rows.count()).toBe(1);
    await expect.poll(() => rows.first().innerText()).toContain("of-the-new-process");
  });

  it("find picks of a request by its id", async () => {
    const { page } = await under.open({ path: "#picks" });
    under.server.tell({ picks: [] });
    await page.getByLabel("Find by request id").fill("3f0c9b1e-77a2-4a52-9f0e-0b1d6a1c2e4f");
    await page.keyboard.press("Enter");
    await page.getByText("1 pick found; listed below.").waitFor();
    await page.getByLabel("Find by request id").fill("nobody");
    await page.getByRole("button", { name: "Find" }).click();
    await page.getByText("No pick of this request is kept.").waitFor();
  });
});

describe("a server that wants a token", () => {
  it("is given it, and it is kept for the tab only", async () => {
    under.server.token = "the-token-of-the-test";
    const { page } = await under.open({ shown: "#token-prompt" });
    expect(await page.locator("#shown").isVisible()).toBe(false);
    await page.locator("#token").fill("another-token");
    await page.keyboard.press("Enter");
    await page.getByText("The server does not take this token.").waitFor();
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("token");
    await page.keyboard.press("Escape");
    expect(await page.locator("#token-prompt").isVisible()).toBe(true);
    await page.locator("#token").fill("the-token-of-the-test");
    await page.getByRole("button", { name: "Open the console" }).click();
    await page.locator("#shown").waitFor();
    expect(await page.locator("#token-prompt").isVisible()).toBe(false);

    const kept = await page.evaluate(() => ({
      session: Object.values(sessionStorage),
      local: Object.values(localStorage),
      cookies: document.cookie,
    }));
    expect(kept).toEqual({ session: ["the-token-of-the-test"], local: [], cookies: "" });
    expect(under.server.asked.join(" ")).not.toContain("the-token");

    // After a reload of the tab it is still known; picks are asked for with it, too.
    await page.reload();
    await page.locator("#shown").waitFor();
    await page.locator("#panel-overview button.opener", { hasText: "00:53" }).first().click();
    await page.getByRole("dialog", { name: "Why gpu-0 rank 0?" }).waitFor();
  });

  it("is asked again when the token is no longer taken", async () => {
    under.server.token = "first";
    const { page } = await under.open({ shown: "#token-prompt" });
    await page.locator("#token").fill("first");
    await page.keyboard.press("Enter");
    await page.locator("#shown").waitFor();
    under.server.token = "second";
    under.server.drop();
    await page.locator("#token-prompt").waitFor();
    await page.locator("#token").fill("second");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.locator("#connection").textContent()).toBe("Live");
  });
});
