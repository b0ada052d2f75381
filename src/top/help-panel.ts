import { type PanelRow, spansRow } from "./panel.ts";
import { bold, plain } from "./style.ts";

const keys: readonly (readonly [string, string])[] = [
  ["up, down", "select; also k and j"],
  ["PgUp, PgDn", "turn pages"],
  ["Home, End", "first, last; also g and G"],
  ["Enter", "why this worker; a worker"],
  ["Esc", "back; without the filter"],
  ["Tab", "workers, recent picks"],
  ["s, S", "order by another column"],
  ["r", "reverse the order"],
  ["/", "what holds a text alone"],
  ["space", "ask at once"],
  ["Ctrl-L", "draw everything again"],
  ["Ctrl-Z", "stop; fg goes on"],
  ["q, Ctrl-C", "end"],
];
const columns: readonly (readonly [string, string])[] = [
  ["REQ", "requests, whoever sent them"],
  ["PREFILL", "tokens still to prefill"],
  ["DECODE", "blocks of running requests"],
  ["HELD", "blocks cached or guessed"],
  ["EVENTS", "how well that is known"],
];
const keyCells = 12;

/** What keys do, and what columns mean; fits into 40 columns. */
export const helpRows: readonly PanelRow[] = [...keys, ["", ""] as const, ...columns].map(([key, meaning]) =>
  spansRow({ text: key.padEnd(keyCells - 1), style: bold }, { text: meaning, style: plain }),
);
