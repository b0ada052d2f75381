import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { testModelFolder } from "../support/model-folder.ts";
import { elsewhere } from "./elsewhere.ts";
import { standIns } from "./stand-ins.ts";
import { root } from "./support/page-folder.ts";
import { isIsolated } from "./support/page-shell.ts";
import { commandLines, isMatch, runPage } from "./support/run-page.ts";

const patterns = ["README.md", "SECURITY.md", "docs/*.md", "{k8s,envoy,bench,test}/**/README*.md"];
const pages = patterns.flatMap((pattern) => globSync(pattern, { cwd: root })).sort();
const withCommands = pages.filter((page) => commandLines(page).length > 0);

/** Pages at one time: what takes long in a page is waiting for servers to start. */
const lanes = isIsolated ? 3 : 1;

describe("commands of the manual", () => {
  const waiting = [...withCommands];
  const results = new Map(withCommands.map((page) => [page, Promise.withResolvers<readonly string[]>()]));

  beforeAll(() => {
    testModelFolder();
    for (let lane = 0; lane < lanes; lane++) void runLane();
  });

  async function runLane(): Promise<void> {
    for (let page = waiting.shift(); page !== undefined; page = waiting.shift()) {
      const { resolve, reject } = results.get(page) ?? Promise.withResolvers();
      await runPage(page).then(resolve, reject);
    }
  }

  it.each(withCommands)("%s: each does what the page says", { timeout: 600_000 }, async (page) => {
    expect(await results.get(page)?.promise).toEqual([]);
  });

  it("are found", () => {
    expect(withCommands.length).toBeGreaterThan(20);
    expect(withCommands.flatMap((page) => commandLines(page)).length).toBeGreaterThan(100);
  });
});

describe("what is said of pages in this folder", () => {
  const commands = withCommands.flatMap((page) => commandLines(page));

  it.each(elsewhere.map((entry) => ({ entry, name: String(entry.command) })))("$name is in the manual", ({ entry }) => {
    expect(commands.filter((line) => isMatch(entry, line))).not.toEqual([]);
  });

  it.each(standIns)("$shown is in the manual", ({ shown }) => {
    expect(withCommands.filter((page) => readFileSync(join(root, page), "utf8").includes(shown))).not.toEqual([]);
  });

  it.each(globSync("**/*.sh", { cwd: join(root, "test/e2e/docs/given") }))(
    "given/%s is for a page with commands",
    (name) => {
      expect(withCommands).toContain(name.replace(/\.sh$/, ".md"));
    },
  );
});
