import { describe, expect, it } from "vitest";
import type { ConsoleState, ConsoleWorker } from "../../../src/surface/admin/index.ts";
import { frameText } from "../../../src/top/frame.ts";
import { asciiGlyphs, unicodeGlyphs } from "../../../src/top/glyphs.ts";
import type { Key } from "../../../src/top/keys.ts";
import { drawScene, type Scene, type Size } from "../../../src/top/screen.ts";
import { firstView, pressed, type View } from "../../../src/top/view.ts";
import { TerminalScreen } from "../../support/terminal/screen.ts";
import { examplePick, exampleState, workerNamed } from "../../support/top/example-state.ts";

const usual: Size = { columns: 80, rows: 24 };
const glyphs = unicodeGlyphs;

function scene(changed: Partial<Scene> = {}): Scene {
  return {
    state: exampleState(),
    view: firstView,
    explanation: undefined,
    problem: undefined,
    silentMs: 0,
    url: "http://127.0.0.1:9099",
    ...changed,
  };
}

function seen(drawn: Scene, size = usual, look = glyphs): TerminalScreen {
  const screen = new TerminalScreen(size.columns, size.rows);
  screen.write(frameText(undefined, drawScene(drawn, size, look).canvas, true));
  return screen;
}

function withWorkers(workers: readonly ConsoleWorker[]): ConsoleState {
  return { ...exampleState(), workers };
}

function viewAfter(keys: readonly (Key | string)[], state = exampleState(), size = usual): View {
  let view = firstView;
  for (const key of keys) {
    const { lists, extent } = drawScene(scene({ state, view, explanation: examplePick() }), size, glyphs);
    view = pressed(view, typeof key === "string" ? { character: key } : key, lists, extent).view;
  }
  return view;
}

const fleet = Array.from({ length: 512 }, (_, at) => workerNamed(`worker-${at}`, at));

describe("the screen of 80 x 24", () => {
  const { text, lines } = seen(scene());

  it("shows the picker: what it is, how much it does, how well", () => {
    expect(lines[0]).toMatch(/^pointsman 0\.1\.0 · ext-proc, query · ready · up 2 min +\d\d:\d\d:\d\d$/);
    const { picksPerSecond, hitRatio } = exampleState().history.latest;
    expect(text).toContain(`picks/s ${picksPerSecond.toFixed(1)}`);
    expect(text).toContain(`hit rate ${(100 * (hitRatio ?? 0)).toFixed(1)} %`);
    expect(text).toMatch(/picks\/s \S+ +[▁▂▃▄▅▆▇█]{8,}/);
    expect(text).toContain(`refused ${exampleState().totals.refusals}`);
  });

  it("shows every worker with the sum of its ranks, whoever sent what they do", () => {
    // Ranks 0 and 1: booked 6 + 5, by siblings 3 + 2, foreign 1 + 0; 780 + 640 + 310 + 250 + 44 blocks; 21,840 + 20,112 held.
    expect(text).toMatch(/^gpu-0 +agg +up +17 +6124 +2024 +[█▉▊▋▌▍▎▏]? +42\.0k live/m);
    expect(text).toMatch(/^gpu-1 .* problem/m);
    expect(text).toMatch(/^gpu-2 +agg +down .* connecting/m);
    expect(text).toMatch(/^gpu-3 +agg +drain/m);
    expect(text).toMatch(/^llava-0 ! .* guessed/m);
  });

  it("shows recent picks: who, and what was held of the prompt", () => {
    expect(text).toMatch(/^\d\d:\d\d:\d\d gpu-0 +80\/88 +1420 Qwen\/Qwen3-8B chat/m);
    expect(text).toMatch(/ gpu-0 → gpu-1 +1880\/1881/);
    expect(text).toMatch(/ llava-0 +by load/);
    expect(text).toMatch(/ saturated +-\/563/);
  });

  it("marks what is selected, in reverse from edge to edge", () => {
    const { reversedLines } = seen(scene({ view: viewAfter([{ name: "down" }]) }));
    expect(reversedLines.some((line) => line.startsWith("gpu-1 "))).toBe(true);
    expect(reversedLines.some((line) => line.startsWith("gpu-0 "))).toBe(false);
  });
});

describe("a screen of any size", () => {
  it.each([
    [40, 24],
    [40, 8],
    [20, 5],
    [3, 2],
    [1, 1],
    [80, 3],
    [400, 100],
  ])("holds what has room in it: %d x %d", (columns, rows) => {
    for (const panel of ["none", "help", "worker", "pick"] as const) {
      const view: View = { ...firstView, panel, worker: exampleState().workers[0]?.id };
      const drawn = drawScene(scene({ view, explanation: examplePick() }), { columns, rows }, glyphs);
      expect(drawn.canvas.lines()).toHaveLength(rows);
    }
    expect(() => seen(scene({ state: undefined, problem: "nobody is there" }), { columns, rows })).not.toThrow();
  });

  it("has the columns that matter in 40 columns", () => {
    const { text } = seen(scene(), { columns: 40, rows: 24 });
    expect(text).toMatch(/^WORKER↑ +STATE +REQ +PREFILL +DECODE$/m);
    expect(text).toMatch(/^gpu-0 +up +17 +6124 +2024$/m);
    expect(text).toMatch(/gpu-0 +80\/88/);
    expect(text).toContain("hit rate ");
  });

  it("keeps the selected one of 512 workers in sight", () => {
    const state = withWorkers(fleet);
    const shown = (keys: Key[]) => seen(scene({ state, view: viewAfter(keys, state) }));
    expect(shown([]).text).toMatch(/1\/512$/);
    expect(shown([{ name: "end" }]).reversedLines.join("\n")).toContain("worker-511");
    const paged = shown([{ name: "pageDown" }, { name: "pageDown" }, { name: "up" }]);
    const selected = paged.reversedLines.find((line) => line.startsWith("worker-"));
    expect(paged.text).toContain(`${1 + Number(/worker-(\d+)/.exec(selected ?? "")?.[1])}/512`);
  });
});

describe("names from workers", () => {
  it.each([
    ["\u001b[2J\u001b[31m", "␛[2J␛[31m"],
    ["a\nb", "a␊b"],
    ["\u009b2J", "�2J"],
  ])("act on nothing: %j", (name, shown) => {
    // The screen throws for a sequence or a control character that is not ours.
    const screen = seen(scene({ state: withWorkers([workerNamed(name)]) }));
    expect(screen.text).toContain(shown);
    expect(screen.written.clears).toBe(1);
  });

  it("keep the columns in line however wide they are", () => {
    const names = ["gpu-0", "漢字-1", "한국어", "👩‍👧 gpu", "e\u0301te\u0301", "नमस्ते", "x".repeat(60)];
    const state = withWorkers(names.map((name, at) => workerNamed(name, at)));
    for (const width of [1, 2, undefined]) {
      const screen = new TerminalScreen(
        80,
        24,
        width === undefined ? {} : { widthOf: (c) => (/^[\x20-\x7e]$/.test(c) ? 1 : width) },
      );
      screen.write(frameText(undefined, drawScene(scene({ state }), usual, asciiNames).canvas, false));
      const title = screen.lines.findIndex((line) => line.startsWith("WORKER"));
      const column = screen.lines[title]?.indexOf("STATE") ?? -1;
      for (let row = title + 1; row <= title + names.length; row++)
        expect(screen.at(row, column) + screen.at(row, column + 1)).toBe("up");
    }
  });

  /** Drawn with ASCII, but for the names: what this terminal takes for wide are they alone. */
  const asciiNames = { ...asciiGlyphs, shown: unicodeGlyphs.shown };

  it("are question marks where the terminal knows ASCII alone", () => {
    const screen = seen(scene({ state: withWorkers([workerNamed("漢 ✓")]) }), usual, asciiGlyphs);
    expect(screen.text).toContain("? ?");
    expect(screen.text).toMatch(/^[\x20-\x7e\n]*$/);
  });
});

describe("keys on the screen", () => {
  const text = (keys: readonly (Key | string)[]) =>
    seen(scene({ view: viewAfter(keys), explanation: examplePick() })).text;

  it("order the workers, by each column and the other way round", () => {
    const order = (keys: readonly string[]) =>
      Array.from(text(keys).matchAll(/^(gpu-\d|llava-0)(?= )/gm), ([, name]) => name);
    expect(order([])).toEqual(["gpu-0", "gpu-1", "gpu-2", "gpu-3", "llava-0"]);
    expect(order(["r"])).toEqual(["llava-0", "gpu-3", "gpu-2", "gpu-1", "gpu-0"]);
    expect(order(["s"])).toEqual(["gpu-2", "llava-0", "gpu-3", "gpu-0", "gpu-1"]);
    expect(order(["s", "s"])).toEqual(["gpu-0", "gpu-1", "llava-0", "gpu-3", "gpu-2"]);
    expect(order(["s", "s", "r"])).toEqual(["gpu-2", "gpu-3", "llava-0", "gpu-1", "gpu-0"]);
    expect(order(["S"])[0]).toBe("gpu-1");
    expect(text(["s", "s"])).toContain("REQ↓");
  });

  it("show what holds a text alone", () => {
    const filtered = text(["/", "L", "l", "a", "v"]);
    expect(filtered).toContain("/Llav_");
    expect(filtered).toMatch(/^llava-0/m);
    expect(filtered).not.toMatch(/^gpu-/m);
    expect(text(["/", "x", "y", { name: "enter" }])).toMatch(/\/xy none$/);
    expect(text(["/", "x", { name: "escape" }])).toMatch(/1\/5$/);
    expect(text(["/", "x", { name: "backspace" }, { name: "enter" }, { name: "escape" }])).toMatch(/1\/5$/);
    // `q` is a letter there.
    expect(viewAfter(["/", "q"])).toMatchObject({ filter: "q", isTyping: true });
  });

  it("tell why a worker was picked, in words and by candidate", () => {
    const why = text([{ name: "tab" }, { name: "enter" }]);
    expect(why).toContain("Why gpu-0 pick ");
    expect(why).toContain("gpu-0 costs 817.75 blocks, the least of 3; gpu-0/1 costs 889.75.");
    expect(why).toContain("It holds 80 of 88 blocks.");
    expect(why).toMatch(/^=> gpu-0 +817\.75 +80/m);
    expect(why).toMatch(/^ {3}gpu-2 +unhealthy/m);
    expect(text([{ name: "tab" }, { name: "enter" }, { name: "escape" }])).toMatch(/1\/6$/);
  });

  it("tell all of a worker", () => {
    const worker = text([{ name: "down" }, { name: "enter" }]);
    expect(worker).toContain("worker id 8671438890602160; serves Qwen/Qwen3-8B");
    expect(worker).toContain("rank 0: events were lost for good");
    expect(worker).toContain("rank 0: 12 events left out: no_device_tier");
  });

  it("scroll what is longer than the screen, and no further", () => {
    const state = exampleState();
    const size = { columns: 40, rows: 12 };
    const view = viewAfter([{ name: "enter" }, { name: "end" }], state, size);
    const drawn = drawScene(scene({ state, view }), size, glyphs);
    expect(view.scroll).toBe(drawn.extent.maxScroll);
    expect(view.scroll).toBeGreaterThan(0);
    expect(viewAfter([{ name: "enter" }, { name: "end" }, { name: "up" }], state, size).scroll).toBe(view.scroll - 1);
  });

  it("say what they do", () => {
    expect(text(["?"])).toMatch(/^q, Ctrl-C +end$/m);
    expect(text(["?", "?"])).toMatch(/1\/5$/);
  });

  it("end it from anywhere", () => {
    const demandOf = (view: View, key: Key) =>
      pressed(view, key, { rows: [], picks: [] }, { pageRows: 1, maxScroll: 0 }).demand;
    for (const view of [firstView, { ...firstView, panel: "help" as const }]) {
      expect(demandOf(view, { character: "q" })).toBe("quit");
      expect(demandOf(view, { name: "interrupt" })).toBe("quit");
    }
    expect(demandOf({ ...firstView, isTyping: true }, { name: "interrupt" })).toBe("quit");
  });
});

describe("what is not as it should be", () => {
  it("is told with its age when the picker is silent", () => {
    const { text } = seen(scene({ problem: "connection refused", silentMs: 12_300 }));
    expect(text).toContain("No answer for 12 s: connection refused; trying again");
    expect(text).toMatch(/^gpu-0 /m);
  });

  it("is told when it never answered", () => {
    const { text } = seen(scene({ state: undefined, problem: "connection refused", silentMs: 100 }));
    expect(text).toContain("No answer from http://127.0.0.1:9099: connection refused; trying again");
  });

  it("is why the picker is not ready", () => {
    const state = { ...exampleState(), ready: { isReady: false, reasons: ["the models are being loaded"] } };
    const { text } = seen(scene({ state }));
    expect(text).toContain("NOT READY");
    expect(text).toContain("the models are being loaded");
  });

  it("is why there is no explanation", () => {
    const view: View = { ...firstView, panel: "pick", pick: "17" };
    expect(seen(scene({ view })).text).toContain("Asking why");
    const { text } = seen(scene({ view, explanation: { problem: "pick 17 is not kept" } }));
    expect(text).toContain("pick 17 is not kept (this pick is no longer among the recent ones)");
  });
});
