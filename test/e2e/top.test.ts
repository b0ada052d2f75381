import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { TerminalProcess } from "../support/terminal/terminal-process.ts";
import { freePorts } from "./support/free-ports.ts";
import { OwnProcess } from "./support/own-process.ts";
import { until } from "./support/until.ts";

const token = "a-token-of-the-console";
/** A name that would clear the screen, and one that is wider than its characters are many. */
const names = ["\u001b[2Jbold", "漢字-1"];

describe("pointsman top and a running picker", () => {
  let folder: string;
  let routePort: number;
  let consolePort: number;
  let picker: OwnProcess;
  const open: TerminalProcess[] = [];

  async function startPicker(): Promise<void> {
    const settings = {
      mode: "reserve",
      models: [{ name: "m", loadOnly: true, blockSize: 16 }],
      workers: names.map((name, at) => ({ name, endpoint: `10.0.0.${at}:80` })),
      fleet: { healthCheck: { enabled: false } },
      metrics: { listen: "off" },
      health: { listen: "off" },
      routeApi: { listen: `127.0.0.1:${routePort}` },
      admin: { listen: `127.0.0.1:${consolePort}`, tokenFile: join(folder, "token") },
    };
    await writeFile(join(folder, "token"), token);
    await writeFile(join(folder, "picker.yaml"), stringify(settings));
    picker = await OwnProcess.start({
      name: "pointsman",
      file: process.execPath,
      args: ["dist/main.js", "serve", "--config", join(folder, "picker.yaml")],
    });
    await until(() => picker.lines.some((line) => line.includes("the picker is ready")), {
      what: "the picker to be ready",
      timeoutMs: 60_000,
      check: () => picker.assertRunning(),
    });
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "pointsman-top-"));
    [routePort = 0, consolePort = 0] = await freePorts(2);
    await startPicker();
  });
  afterAll(async () => {
    for (const terminal of open) await terminal.close();
    await picker.end();
    await rm(folder, { recursive: true });
  });

  async function top(args: readonly string[]): Promise<TerminalProcess> {
    const url = `http://127.0.0.1:${consolePort}`;
    const command = [process.execPath, "dist/main.js", "top", "--url", url, "--interval", "0.2", ...args];
    const terminal = await TerminalProcess.start({ args: command, columns: 100 });
    open.push(terminal);
    return terminal;
  }

  async function sees(terminal: TerminalProcess, pattern: RegExp): Promise<void> {
    const what = `${pattern} on the screen`;
    await until(() => pattern.test(terminal.screen.text), { what }).catch((cause: unknown) => {
      throw new Error(`there is no ${what}:\n${terminal.screen.text}`, { cause });
    });
  }

  async function reserve(blocks: readonly number[]): Promise<void> {
    const body = { model_name: "m", block_hashes: blocks };
    const init = { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } };
    const answer = await fetch(`http://127.0.0.1:${routePort}/route_and_reserve`, init);
    expect(answer.status, await answer.text()).toBe(200);
  }

  it("shows its workers, their load, and why each pick fell as it did", async () => {
    const terminal = await top(["--token-file", join(folder, "token")]);
    await sees(terminal, /^pointsman \d\S* · reserve · ready/m);
    // A name with a control character is shown by its picture; the screen throws for a sequence of somebody else's.
    await sees(terminal, /^␛\[2Jbold +agg .* 0 +0 +0 .* guessed/m);
    await sees(terminal, /^漢字-1 +agg /m);
    await reserve([1, 2, 3]);
    await reserve([1, 2, 3]);
    // Two equal ones of three blocks: one for each worker.
    await sees(terminal, /^␛\[2Jbold +agg +\S+ +1 +48 +3 /m);
    await sees(terminal, /^漢字-1 +agg +\S+ +1 +48 +3 /m);
    await sees(terminal, /^\d\d:\d\d:\d\d (?:␛\[2Jbold|漢字-1) +0\/3 +48 m/m);
    terminal.type("\t\r");
    await sees(terminal, /^Why (?:␛\[2Jbold|漢字-1) pick \d+/m);
    // 8 for each of 3 blocks to prefill, and 3 to hold; the other one has 3 waiting, holds 3, and has 3 in use: the same.
    await sees(terminal, /^2 candidates cost 27\.00 blocks, none less; \S+ by the tie-break fewest-requests\./m);
    await sees(terminal, /^=> \S+ +27\.00 +0 /m);
    terminal.type("q");
    await until(() => terminal.end, { what: "the end" });
    expect(terminal.end).toMatchObject({ code: 0, isRestored: true });
    expect(terminal.screen).toMatchObject({ isAlternate: false, isCursorShown: true });
  });

  it("is refused without the token, and says which option it is", async () => {
    const terminal = await top([]);
    await until(() => terminal.end, { what: "the end" });
    expect(terminal.end).toMatchObject({ code: 1, isRestored: true });
    await sees(terminal, /the console asks for a token: give it with --token-file/);
  });

  it("says that the picker is gone, and shows the next one", async () => {
    const terminal = await top(["--token-file", join(folder, "token")]);
    await sees(terminal, /^漢字-1 /m);
    await picker.end();
    await sees(terminal, /^No answer for \d+ m?s: connection refused; trying again$/m);
    await startPicker();
    await until(() => !terminal.screen.text.includes("No answer"), { what: "the next picker" });
    await sees(terminal, /^漢字-1 +agg +\S+ +0 +0 +0 /m);
  });
});
