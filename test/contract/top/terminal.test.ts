import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { until } from "../../e2e/support/until.ts";
import { type TerminalCommand, TerminalProcess } from "../../support/terminal/terminal-process.ts";
import { exampleState, workerNamed } from "../../support/top/example-state.ts";
import { StandInConsole } from "../../support/top/stand-in-console.ts";

const main = new URL("../../../src/main.ts", import.meta.url).pathname;

let console: StandInConsole;
let running: TerminalProcess[];
beforeEach(async () => {
  console = await new StandInConsole().start();
  running = [];
});
afterEach(async () => {
  for (const terminal of running) await terminal.close();
  await console.stop();
});

async function top(args: readonly string[] = [], changed: Partial<TerminalCommand> = {}): Promise<TerminalProcess> {
  const command = [process.execPath, main, "top", "--url", console.url, "--interval", "0.1", ...args];
  const terminal = await TerminalProcess.start({ args: command, ...changed });
  running.push(terminal);
  return terminal;
}

/** Waits for what a person would see. */
function sees(terminal: TerminalProcess, pattern: RegExp | string): Promise<unknown> {
  const { screen } = terminal;
  const look = () => (typeof pattern === "string" ? screen.text.includes(pattern) : pattern.test(screen.text));
  const check = () => terminal.assertRunning();
  return until(look, { what: `the screen to show ${pattern}`, timeoutMs: 25_000, check }).catch((cause: unknown) => {
    throw new Error(`there is no ${pattern} on the screen:\n${screen.text}`, { cause });
  });
}

function ended(terminal: TerminalProcess) {
  return until(() => terminal.end, { what: "the end", timeoutMs: 25_000, check: () => terminal.assertRunning() });
}

/** What the shell had on the screen is there again, and its cursor. */
function expectLeft({ screen, end }: TerminalProcess): void {
  expect(screen).toMatchObject({ isAlternate: false, isCursorShown: true, isWrapping: true, isPlain: true });
  expect(end).toMatchObject({ isRestored: true });
}

// Each starts the program, some twice.
describe("pointsman top on a terminal", { timeout: 60_000 }, () => {
  it("shows what is, keeps it up to date, and is gone with q", async () => {
    const terminal = await top();
    await sees(terminal, /^gpu-0 .* 17 /m);
    expect(terminal.screen).toMatchObject({ isAlternate: true, isCursorShown: false });
    console.state = { ...exampleState(), workers: [workerNamed("gpu-new")] };
    await sees(terminal, /^gpu-new /m);
    terminal.type("q");
    expect(await ended(terminal)).toMatchObject({ code: 0, signal: null });
    expectLeft(terminal);
  });

  it.each([
    ["Ctrl-C", (terminal: TerminalProcess) => terminal.type("\u0003"), 0],
    ["SIGTERM", (terminal: TerminalProcess) => terminal.signal("SIGTERM"), 143],
    ["SIGINT", (terminal: TerminalProcess) => terminal.signal("SIGINT"), 130],
    ["SIGHUP", (terminal: TerminalProcess) => terminal.signal("SIGHUP"), 129],
  ])("leaves the terminal as it was on %s", async (_, stop, code) => {
    const terminal = await top();
    await sees(terminal, /^gpu-0 /m);
    stop(terminal);
    expect(await ended(terminal)).toMatchObject({ code, signal: null });
    expectLeft(terminal);
  });

  it("leaves the terminal as it was when it fails, and the reason can be read there", async () => {
    const terminal = await top();
    await sees(terminal, /^gpu-0 /m);
    console.state = { ...exampleState(), workers: [{ ...workerNamed("odd"), ranks: [] }, {} as never] };
    await sees(terminal, "cannot be shown");
    console.state = exampleState();
    await sees(terminal, /^gpu-0 /m);
    terminal.type("q");
    await ended(terminal);
    expectLeft(terminal);
  });

  it("ends when the terminal goes away", async () => {
    const terminal = await top();
    await sees(terminal, /^gpu-0 /m);
    terminal.hangUp();
    expect((await ended(terminal)).event).toBe("ended");
  });

  it("gives the terminal back on Ctrl-Z, and comes back with fg", async () => {
    const terminal = await top();
    await sees(terminal, /^gpu-0 /m);
    terminal.type("\u001a");
    await until(() => terminal.events.length === 1, { what: "the stop" });
    expect(terminal.events[0]).toMatchObject({ event: "stopped", isRestored: true });
    expect(terminal.screen).toMatchObject({ isAlternate: false, isCursorShown: true });
    terminal.continue();
    await sees(terminal, /^gpu-0 /m);
    expect(terminal.screen).toMatchObject({ isAlternate: true, isCursorShown: false });
    terminal.type("q");
    expect(await ended(terminal)).toMatchObject({ code: 0 });
    expectLeft(terminal);
  });

  it("tells why a worker was picked", async () => {
    const terminal = await top();
    await sees(terminal, /^gpu-0 /m);
    terminal.type("\t\u001b[B\u001b[B\u001b[B\r");
    await sees(terminal, /^Why saturated pick \d+/m);
    terminal.type("\u001b");
    await sees(terminal, /4\/6$/m);
    expect(console.asked.filter((path) => path.startsWith("/api/picks/"))).toHaveLength(1);
  });

  it("follows the window's size", async () => {
    const terminal = await top();
    await sees(terminal, /ENDPOINT|EVENTS/);
    terminal.resize(40, 12);
    await sees(terminal, /^WORKER↑ +STATE +REQ +PREFILL +DECODE$/m);
    terminal.resize(150, 40);
    await sees(terminal, /10\.0\.0\.10:8000/);
  });

  it("writes what has changed, at once, and nothing when nothing has", async () => {
    const terminal = await top([], { columns: 200, rows: 50 });
    // The last line: what comes before it has come.
    await sees(terminal, /1\/5$/);
    const asked = console.asked.length;
    const [writes, cells] = [terminal.writes.length, terminal.screen.written.cells];
    await until(() => console.asked.length > asked + 10, { what: "ten answers" });
    expect(terminal.writes.length).toBe(writes);
    console.state = { ...exampleState(), totals: { ...exampleState().totals, refusals: 77 } };
    await sees(terminal, "refused 77");
    expect(terminal.writes.length).toBe(writes + 1);
    expect(terminal.screen.written.cells - cells).toBeLessThan(10);
    expect(terminal.screen.written.clears).toBe(1);
  });

  it("says when the picker is silent, for how long, and finds it again", async () => {
    const terminal = await top();
    await sees(terminal, /^gpu-0 /m);
    await console.stop();
    await sees(terminal, /No answer for [1-9] s: connection refused; trying again/);
    expect(terminal.screen.text).toMatch(/^gpu-0 /m);
    await console.start();
    await until(() => !terminal.screen.text.includes("No answer"), { what: "the picker to be found again" });
    terminal.type("q");
    expect(await ended(terminal)).toMatchObject({ code: 0 });
  });

  it("waits for a picker that is not there yet", async () => {
    await console.stop();
    const terminal = await top();
    await sees(terminal, /No answer from http:\/\/127\.0\.0\.1:\d+: connection refused/);
    await console.start();
    await sees(terminal, /^gpu-0 /m);
  });

  it("names the option when a token is asked for", async () => {
    console.token = "secret";
    const terminal = await top([], { columns: 160 });
    expect(await ended(terminal)).toMatchObject({ code: 1 });
    await sees(terminal, "the console asks for a token: give it with --token-file FILE or in POINTSMAN_CONSOLE_TOKEN");
    expectLeft(terminal);
  });

  it("takes the token from the environment", async () => {
    console.token = "secret";
    const terminal = await top([], { env: { POINTSMAN_CONSOLE_TOKEN: "secret" } });
    await sees(terminal, /^gpu-0 /m);
  });

  it("has colours, and none where they are not wanted", async () => {
    const coloured = await top();
    await sees(coloured, /^gpu-0 /m);
    expect(coloured.screen.colours.size).toBeGreaterThan(0);
    const plain = await top([], { env: { NO_COLOR: "1" } });
    await sees(plain, /^gpu-0 /m);
    expect(plain.screen.colours.size).toBe(0);
  });

  it.each([
    ["that cannot be drawn on", [], { TERM: "dumb" }],
    ["where one is asked for", ["--once"], {}],
  ])("gives one plain snapshot on a terminal %s", async (_, args, env) => {
    const terminal = await top(args, { env: env as Record<string, string> });
    expect(await ended(terminal)).toMatchObject({ code: 0 });
    await sees(terminal, /^gpu-3 /m);
    expect(terminal.screen.colours.size).toBe(0);
  });
});
