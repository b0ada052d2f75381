import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { consoleUnderTest } from "./support/console-under-test.ts";
import { exampleState } from "./support/example.ts";

const under = consoleUnderTest();

/** What has the focus, by its text or else its id. */
async function focused(page: Page): Promise<string> {
  return await page.evaluate(() => document.activeElement?.textContent?.trim() || document.activeElement?.id || "");
}

async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

describe("the console by keyboard", () => {
  it("goes from the skip link over the head to the tabs and their panel", async () => {
    const { page } = await under.open();
    const stops = [];
    for (let i = 0; i < 6; i++) {
      await press(page, "Tab");
      stops.push(await focused(page));
    }
    expect(stops).toEqual(["Skip to the content", "Pause", "Theme: system", "Overview", "As a table", "gpu-0 rank 0"]);
  });

  it("skips to the content", async () => {
    const { page } = await under.open();
    await press(page, "Tab");
    expect(await page.locator("#skip").evaluate((link) => link.getBoundingClientRect().top >= 0)).toBe(true);
    await press(page, "Enter", "Tab");
    expect(await focused(page)).toBe("Overview");
  });

  it("stays on the tab that is shown when it skips to the content", async () => {
    const { page } = await under.open({ path: "#fleet" });
    await press(page, "Tab", "Enter", "Tab");
    expect(await focused(page)).toBe("Fleet");
    expect(await page.locator('[role="tabpanel"]:visible').getAttribute("id")).toBe("panel-fleet");
    expect(new URL(page.url()).hash).toBe("#fleet");
  });

  it("chooses tabs by arrows, Home and End", async () => {
    const { page } = await under.open();
    await page.locator("#tab-overview").focus();
    const chosen = async () => await page.locator('[role="tab"][aria-selected="true"]').textContent();
    await press(page, "ArrowRight");
    expect([await focused(page), await chosen()]).toEqual(["Fleet", "Fleet"]);
    expect(await page.locator('[role="tabpanel"]:visible').getAttribute("id")).toBe("panel-fleet");
    await press(page, "End");
    expect(await chosen()).toBe("Picker");
    await press(page, "ArrowRight");
    expect(await chosen()).toBe("Overview");
    await press(page, "ArrowLeft", "Home");
    expect([await focused(page), await chosen()]).toEqual(["Overview", "Overview"]);
  });

  it("goes over rows by arrows, opens one by Enter, and gets the focus back on Escape", async () => {
    const { page } = await under.open({ path: "#picks" });
    const rows = page.locator("#panel-picks button.opener");
    await rows.first().focus();
    await press(page, "ArrowDown", "ArrowDown", "ArrowUp", "End", "Home");
    expect(await rows.first().evaluate((row) => row === document.activeElement)).toBe(true);
    expect(await page.locator('#panel-picks button.opener[tabindex="0"]').count()).toBe(1);
    await press(page, "Enter");
    await page.getByRole("dialog", { name: "Why gpu-0 rank 0?" }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.closest("dialog")?.id)).toBe("explanation");
    // The rest of the page cannot be reached meanwhile.
    for (let i = 0; i < 12; i++) await press(page, "Tab");
    expect(
      await page.evaluate(() => ["explanation", undefined].includes(document.activeElement?.closest("dialog")?.id)),
    ).toBe(true);
    expect(await page.evaluate(() => document.activeElement?.closest("main") === null)).toBe(true);
    await press(page, "Escape");
    await page.locator("#explanation").waitFor({ state: "hidden" });
    expect(await rows.first().evaluate((row) => row === document.activeElement)).toBe(true);
  });

  it("gives the focus to the list when the row has gone meanwhile", async () => {
    const { page } = await under.open({ path: "#overview" });
    await page.locator("#panel-overview button.opener", { hasText: "gpu-1" }).focus();
    await press(page, "Enter");
    await page.getByRole("dialog", { name: "gpu-1" }).waitFor();
    under.server.tell({ workers: exampleState().workers.slice(0, 1) });
    await expect.poll(() => page.locator("#panel-overview button.opener", { hasText: "gpu-1" }).count()).toBe(0);
    await press(page, "Escape");
    await expect.poll(() => focused(page)).toBe("gpu-0 rank 0");
  });

  it("shows where the focus is, on everything that can have it", async () => {
    const { page } = await under.open({ path: "#fleet" });
    for (let i = 0; i < 20; i++) {
      await press(page, "Tab");
      const outline = await page.evaluate(() => {
        const element = document.activeElement;
        if (element === null || element === document.body) return "none of the page";
        const style = getComputedStyle(element);
        return `${style.outlineStyle} ${style.outlineWidth}`;
      });
      if (outline === "none of the page") break;
      expect(outline).toBe("solid 2px");
    }
  });

  it("sorts and turns pages by Enter and keeps the focus there", async () => {
    const { page } = await under.open({ path: "#fleet" });
    await page.locator("#panel-fleet").getByRole("button", { name: "Requests", exact: true }).focus();
    await press(page, "Enter");
    expect(await focused(page)).toBe("Requests");
    expect(await page.locator("#panel-fleet th[aria-sort]").getAttribute("aria-sort")).toBe("ascending");
  });

  it("goes back to what the address names", async () => {
    const { page } = await under.open({ path: "#models" });
    expect(await page.locator('[role="tab"][aria-selected="true"]').textContent()).toBe("Models");
    await page.click("#tab-picks");
    await page.locator("#panel-picks button.opener").first().click();
    await page.getByRole("dialog").waitFor();
    expect(new URL(page.url()).hash).toBe("#picks/911");
    await press(page, "Escape");
    await expect.poll(() => new URL(page.url()).hash).toBe("#picks");
  });

  it.each(["#nothing", "#constructor", "#toString/1"])("begins with the overview at %s", async (path) => {
    const { page, faults } = await under.open({ path });
    expect(await page.locator('[role="tab"][aria-selected="true"]').textContent()).toBe("Overview");
    expect(faults).toEqual([]);
  });

  it("asks for what no pick is called, and goes on", async () => {
    const { page } = await under.open({ path: "#picks/%E0%A4" });
    await page.getByText("There is none of this number.").waitFor();
    expect(await page.locator("#connection").textContent()).toBe("Live");
  });
});

describe("roles", () => {
  it("name every table, tab, panel, dialog and control", async () => {
    const { page } = await under.open();
    const unnamed = await page.evaluate(() => {
      const controls = [
        ...document.querySelectorAll("button, input, select, table, [role=tabpanel], [role=img], dialog"),
      ];
      return controls
        .filter((control) => {
          const label = control.getAttribute("aria-label") ?? control.getAttribute("aria-labelledby");
          const own = control.textContent?.trim() || control.closest("label")?.textContent?.trim();
          const caption = control.querySelector("caption")?.textContent;
          const named = document.querySelector(`label[for="${control.id || "none"}"]`);
          return !(label || caption || own || named);
        })
        .map((control) => control.outerHTML.slice(0, 120));
    });
    expect(unnamed).toEqual([]);
    const dangling = await page.evaluate(() =>
      [...document.querySelectorAll("[aria-labelledby], [aria-controls]")].flatMap((element) =>
        [element.getAttribute("aria-labelledby"), element.getAttribute("aria-controls")]
          .flatMap((ids) => ids?.split(" ") ?? [])
          .filter((id) => document.getElementById(id) === null),
      ),
    );
    expect(dangling).toEqual([]);
  });
});
