import { globSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { testModelFolder } from "../support/model-folder.ts";
import { ensureBuilt } from "../support/picker.ts";
import { elsewhere } from "./elsewhere.ts";
import { standIns } from "./stand-ins.ts";
import { root } from "./support/page-folder.ts";
import { isIsolated } from "./support/page-shell.ts";
import { commandLines, isMatch, readPage, runPage } from "./support/run-page.ts";

const patterns = ["README.md", "SECURITY.md", "docs/*.md", "{k8s,envoy,bench,test}/**/README*.md"];
const pages = patterns.flatMap((pattern) => globSync(pattern, { cwd: root })).sort();
const withCommands = pages.filter((page) => commandLines(page).length > 0);

/** Pages at one time: what takes long in a page is waiting for servers to start. */
const lanes = isIsolated ? 3 : 1;

describe("commands of the manual", () => {
  const waiting = [...withCommands];
  const results = new Map(withCommands.map((page) => [page, Promise.withResolvers<readonly string[]>()]));

  beforeAll(async () => {
    testModelFolder();
    // Pages cannot: the repository is read-only to them.
    await ensureBuilt();
    for (let lane = 0; lane < lanes; lane++) void runLane();
  }, 600_000);

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

describe("a page that is wrong", () => {
  const fence = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\`\n`;

  it.each([
    { name: "a port where nobody listens", text: fence("sh", "curl -s localhost:8093/workers"), fault: "exit code 7" },
    { name: "an answer that is another", text: fence("sh", "echo 1") + fence("text", "2"), fault: "another answer" },
    { name: "a flag that is not there", text: "`pointsman explain --no-such-flag`\n", fault: "exit code 1" },
    { name: "a target that is not there", text: "`make no-such-target`\n", fault: "No rule to make target" },
    { name: "a script that is not there", text: "`npm run no-such-script`\n", fault: "has no script" },
    { name: "a script's flag that is not there", text: "`npm run parity:live -- --sed 7`\n", fault: "has no --sed" },
    {
      name: "a server that does not start",
      text: fence("sh", "pointsman serve --config no-such-file.yaml &"),
      fault: "it ended before it was ready",
    },
    {
      name: "a setting that is not there",
      text: `${fence("yaml", "# x.yaml\nno-such-setting: 1")}\n    pointsman check-config --config x.yaml\n`,
      fault: "no-such-setting",
    },
    {
      name: "a fleet that refuses the request",
      text:
        fence("sh", "pointsman sim-worker --port 8101 --fail-rate 1 &") +
        fence("sh", "curl -s localhost:8101/v1/models -d x"),
      fault: "exit code 0",
    },
  ])("is told of $name", { timeout: 300_000 }, async ({ text, fault }) => {
    const faults = await runPage("made-up.md", text);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(fault);
  });
});

describe("what is said of pages in this folder", () => {
  const commands = withCommands.flatMap((page) => commandLines(page));

  it.each(elsewhere.map((entry) => ({ entry, name: String(entry.command) })))("$name is in the manual", ({ entry }) => {
    expect(commands.filter((line) => isMatch(entry, line))).not.toEqual([]);
  });

  it.each(standIns)("$shown is in the manual", ({ shown }) => {
    expect(withCommands.filter((page) => readPage(page).includes(shown))).not.toEqual([]);
  });

  it.each(globSync("**/*.sh", { cwd: join(root, "test/e2e/docs/given") }))(
    "given/%s is for a page with commands",
    (name) => {
      expect(withCommands).toContain(name.replace(/\.sh$/, ".md"));
    },
  );
});
