import type { ConsoleState, PickSummary } from "../surface/admin/index.ts";
import type { Key } from "./keys.ts";
import { matchesPick } from "./pick-list.ts";
import { matchesWorker, type SortKey, sortedRows, sortKeys, type WorkerRow, workerRow } from "./worker-rows.ts";

/** What the person at the terminal looks at. */
export interface View {
  readonly focus: "workers" | "picks";
  /** Id of the worker that is selected; undefined = the first. */
  readonly worker: string | undefined;
  /** Id of the pick that is selected; undefined = the newest, whichever that is. */
  readonly pick: string | undefined;
  readonly sortBy: SortKey;
  readonly isReversed: boolean;
  readonly filter: string;
  /** Keys go into the filter. */
  readonly isTyping: boolean;
  /** What covers the lists. */
  readonly panel: "none" | "help" | "worker" | "pick";
  /** First line of the panel that is shown. */
  readonly scroll: number;
}

export const firstView: View = {
  focus: "workers",
  worker: undefined,
  pick: undefined,
  sortBy: "name",
  isReversed: false,
  filter: "",
  isTyping: false,
  panel: "none",
  scroll: 0,
};

/** What is listed, in order. */
export interface Lists {
  readonly rows: readonly WorkerRow[];
  readonly picks: readonly PickSummary[];
}

/** What a key asks for, besides another view. */
export type Demand = "quit" | "suspend" | "redraw" | "explain" | "refresh";

/** The workers and picks that a view shows of a state. */
export function listsOf({ workers, picks }: ConsoleState, { filter, sortBy, isReversed }: View): Lists {
  const rows = sortedRows(workers.map(workerRow), sortBy, isReversed);
  if (filter === "") return { rows, picks };
  return {
    rows: rows.filter((row) => matchesWorker(row, filter)),
    picks: picks.filter((pick) => matchesPick(pick, filter)),
  };
}

/** Where the selected one is in a list; what is no longer there gives way to the first. */
export function selectedAt(ids: readonly string[], selected: string | undefined): number {
  return Math.max(0, selected === undefined ? 0 : ids.indexOf(selected));
}

const maxFilterLength = 100;

/** How much of it the screen shows. */
export interface Extent {
  /** Lines that are turned at once. */
  readonly pageRows: number;
  /** Last line of the panel that can be its first on the screen. */
  readonly maxScroll: number;
}

/** What a key does. */
export function pressed(
  view: View,
  key: Key,
  lists: Lists,
  extent: Extent,
): { readonly view: View; readonly demand?: Demand } {
  if ("name" in key) {
    if (key.name === "interrupt") return { view, demand: "quit" };
    if (key.name === "suspend") return { view, demand: "suspend" };
    if (key.name === "redraw") return { view, demand: "redraw" };
  }
  if (view.isTyping) return { view: typed(view, key) };
  if ("character" in key && key.character === "q") return { view, demand: "quit" };
  return view.panel === "none" ? inLists(view, key, lists, extent) : inPanel(view, key, extent);
}

function typed(view: View, key: Key): View {
  if ("character" in key) {
    const filter = view.filter + key.character;
    return filter.length > maxFilterLength ? view : { ...view, filter };
  }
  switch (key.name) {
    case "enter":
    case "tab":
      return { ...view, isTyping: false };
    case "escape":
      return { ...view, isTyping: false, filter: "" };
    case "backspace":
      return { ...view, filter: Array.from(view.filter).slice(0, -1).join("") };
    default:
      return view;
  }
}

function inPanel(view: View, key: Key, { pageRows, maxScroll }: Extent): { view: View; demand?: Demand } {
  const step = stepOf(key, pageRows);
  if (step !== undefined) return { view: { ...view, scroll: Math.max(0, Math.min(maxScroll, view.scroll + step)) } };
  const isOver = "name" in key ? ["escape", "enter", "left", "backspace"].includes(key.name) : key.character === "?";
  return { view: isOver ? { ...view, panel: "none", scroll: 0 } : view };
}

function inLists(view: View, key: Key, lists: Lists, { pageRows }: Extent): { view: View; demand?: Demand } {
  const step = stepOf(key, pageRows);
  if (step !== undefined) return { view: moved(view, lists, step) };
  if ("character" in key) return byCharacter(view, key.character);
  switch (key.name) {
    case "tab":
    case "backTab":
      return { view: { ...view, focus: view.focus === "workers" ? "picks" : "workers" } };
    case "escape":
      return { view: { ...view, filter: "", pick: undefined } };
    case "enter":
    case "right":
      return opened(view, lists);
    default:
      return { view };
  }
}

function byCharacter(view: View, character: string): { view: View; demand?: Demand } {
  switch (character) {
    case "s":
    case "S":
      return { view: { ...view, sortBy: nextKey(view.sortBy, character === "s" ? 1 : -1), isReversed: false } };
    case "r":
      return { view: { ...view, isReversed: !view.isReversed } };
    case "/":
      return { view: { ...view, isTyping: true } };
    case "?":
    case "h":
      return { view: { ...view, panel: "help", scroll: 0 } };
    case " ":
      return { view, demand: "refresh" };
    default:
      return { view };
  }
}

function nextKey(key: SortKey, step: number): SortKey {
  return sortKeys[(sortKeys.indexOf(key) + step + sortKeys.length) % sortKeys.length] ?? "name";
}

/** Steps down that a key asks for. */
function stepOf(key: Key, pageRows: number): number | undefined {
  if ("character" in key)
    return { j: 1, k: -1, g: Number.NEGATIVE_INFINITY, G: Number.POSITIVE_INFINITY }[key.character];
  switch (key.name) {
    case "up":
      return -1;
    case "down":
      return 1;
    case "pageUp":
      return -pageRows;
    case "pageDown":
      return pageRows;
    case "home":
      return Number.NEGATIVE_INFINITY;
    case "end":
      return Number.POSITIVE_INFINITY;
    default:
      return undefined;
  }
}

function moved(view: View, { rows, picks }: Lists, step: number): View {
  const ids = view.focus === "workers" ? rows.map(({ worker }) => worker.id) : picks.map(({ id }) => id);
  const at = selectedAt(ids, view.focus === "workers" ? view.worker : view.pick);
  const id = ids[Math.max(0, Math.min(ids.length - 1, at + step))];
  return view.focus === "workers" ? { ...view, worker: id } : { ...view, pick: id };
}

/** The selected one, with all that is known of it. */
function opened(view: View, { rows, picks }: Lists): { view: View; demand?: Demand } {
  if (view.focus === "workers") {
    const row =
      rows[
        selectedAt(
          rows.map(({ worker }) => worker.id),
          view.worker,
        )
      ];
    return { view: row === undefined ? view : { ...view, worker: row.worker.id, panel: "worker", scroll: 0 } };
  }
  const pick =
    picks[
      selectedAt(
        picks.map(({ id }) => id),
        view.pick,
      )
    ];
  if (pick === undefined) return { view };
  return { view: { ...view, pick: pick.id, panel: "pick", scroll: 0 }, demand: "explain" };
}
