import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { consoleUnderTest } from "./support/console-under-test.ts";
import { contrastFaults } from "./support/contrast.ts";
import { exampleState, manyWorkers } from "./support/example.ts";

const under = consoleUnderTest();
const tabs = ["overview", "fleet", "picks", "events", "models", "system"] as const;

/** Shows every view, dialog and state of the page, one after the other. */
async function eachView(page: Page, look: (view: string) => Promise<void>): Promise<void> {
  for (const tab of tabs) {
    await page.click(`#tab-${tab}`);
    await look(tab);
  }
  await page.click("#tab-overview");
  await page.getByText("As a table").click();
  await page.locator("#panel-overview button.opener").first().click();
  await look("a rank");
  await page.keyboard.press("Escape");
  await page.click("#pause");
  await look("paused");
  await page.click("#pause");
  await page.evaluate(() => {
    location.hash = "#picks/911";
  });
  await page.getByRole("dialog", { name: /^Why/ }).waitFor();
  await look("a pick explained");
  await page.keyboard.press("Escape");
  under.server.isUp = false;
  under.server.drop();
  await page.getByRole("button", { name: "Try now" }).waitFor();
  await look("not connected");
}

describe("both themes", () => {
  it.each(["light", "dark"] as const)("have a contrast of 4.5 or more for every word (%s)", async (colorScheme) => {
    const { page } = await under.open({ colorScheme });
    const found: string[] = [];
    await eachView(page, async (view) => {
      const { words, faults } = await contrastFaults(page);
      expect(words, view).toBeGreaterThan(20);
      found.push(...faults.map((fault) => `${view}: ${fault}`));
    });
    expect(found).toEqual([]);
  });

  it("finds words that cannot be read", async () => {
    const { page } = await under.open();
    await page.evaluate(() => document.documentElement.style.setProperty("--quiet", "#9aa0aa"));
    expect((await contrastFaults(page)).faults.length).toBeGreaterThan(3);
  });

  it.each(["light", "dark"] as const)(
    "have a contrast of 4.5 or more where a token is asked for (%s)",
    async (colorScheme) => {
      under.server.token = "t";
      const { page } = await under.open({ colorScheme, shown: "#token-prompt" });
      await page.locator("#token").fill("wrong");
      await page.keyboard.press("Enter");
      await page.getByText("The server does not take this token.").waitFor();
      expect(await contrastFaults(page)).toMatchObject({ faults: [] });
    },
  );

  it("follow the system until the reader chooses, and the choice is kept", async () => {
    const { page } = await under.open({ colorScheme: "dark" });
    const ground = async () => await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const dark = await ground();
    await page.emulateMedia({ colorScheme: "light" });
    const light = await ground();
    expect(light).not.toBe(dark);
    const theme = page.locator("#theme");
    await theme.click();
    expect(await theme.textContent()).toBe("Theme: light");
    await theme.click();
    expect([await theme.textContent(), await ground()]).toEqual(["Theme: dark", dark]);
    await page.reload();
    await page.locator("#shown").waitFor();
    expect([await theme.textContent(), await ground()]).toEqual(["Theme: dark", dark]);
    await theme.click();
    expect([await theme.textContent(), await ground()]).toEqual(["Theme: system", light]);
  });

  it("do not move for readers who do not want it", async () => {
    const { page } = await under.open({ reducedMotion: "reduce" });
    const running = () => document.getAnimations().length;
    expect(await page.evaluate(running)).toBe(0);
    await page.emulateMedia({ reducedMotion: "no-preference" });
    expect(await page.evaluate(running)).toBeGreaterThan(0);
  });
});

describe("narrow screens", () => {
  it("keep what belongs together on one line, where there is room", async () => {
    const { page } = await under.open({ viewport: { width: 1_280, height: 800 } });
    await page.click("#tab-picks");
    const find = page.locator("#panel-picks .find");
    const boxes = await Promise.all(
      [find.locator("input"), find.getByRole("button")].map((part) => part.boundingBox()),
    );
    const [input, button] = boxes;
    if (input == null || button == null) throw new Error("the search is not shown");
    expect(button.x - (input.x + input.width)).toBeLessThan(20);
    expect(Math.abs(button.y + button.height / 2 - (input.y + input.height / 2))).toBeLessThan(2);
    await page.click("#tab-system");
    const heard = page.locator("#panel-system td[data-label='Last heard']").first();
    const line = await page
      .locator("#panel-system td[data-label='Requests']")
      .first()
      .evaluate((cell) => {
        return Number.parseFloat(getComputedStyle(cell).lineHeight);
      });
    expect(await heard.evaluate((cell) => cell.clientHeight)).toBeLessThan(2 * line + 8);
  });

  it.each([380, 700, 930, 1_100])("need no scrolling sideways at %i px", async (width) => {
    const long = "a-worker-with-a-name-that-somebody-made-of-all-its-labels-and-then-some-0123456789";
    const { workers, models } = exampleState();
    const [first, ...rest] = workers;
    if (first === undefined) throw new Error("the example has no worker");
    const named = { ...first, name: long, endpoint: `${long}.namespace.svc.cluster.local:8000` };
    under.server.tell({
      workers: [named, ...rest, ...manyWorkers(60)],
      models: models.map((m) => ({ ...m, name: `${long}/${m.name}` })),
    });
    const { page } = await under.open({ viewport: { width, height: 800 } });
    await eachView(page, async (view) => {
      const wide = await page.evaluate(() =>
        [document.documentElement, ...document.querySelectorAll("*")]
          .filter((element) => {
            const style = getComputedStyle(element);
            const isScroller = element === document.documentElement || /auto|scroll/.test(style.overflowX);
            return isScroller && element.clientWidth > 0 && element.scrollWidth > element.clientWidth;
          })
          .map((element) => `${element.tagName} ${element.className}: ${element.scrollWidth} > ${element.clientWidth}`),
      );
      expect(wide, view).toEqual([]);
    });
  });
});
